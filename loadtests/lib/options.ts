/** A script's options come from environment variables. Without the runner, set them with `k6 run -e NAME=value`. */

/** Seconds instead of minutes, for continuous integration: `SHORT=1`. */
export const short = __ENV.SHORT === '1';

/**
 * A number from the environment, above zero.
 * @throws if it is something else
 */
export function numberOption(name: string, { usual, short: whenShort = usual }: { usual: number; short?: number }) {
  const given = __ENV[name];
  const value = given === undefined || given === '' ? (short ? whenShort : usual) : Number(given);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} is a number above zero, not ${given}`);
  return value;
}

/**
 * A whole number above zero from the environment.
 * @throws if it is something else, or above `most`: a script that ran out of customers halfway would prove nothing
 */
export function countOption(
  name: string,
  { most = Number.POSITIVE_INFINITY, ...values }: { usual: number; short?: number; most?: number },
) {
  const value = numberOption(name, values);
  if (!Number.isInteger(value)) throw new Error(`${name} is a whole number, not ${value}`);
  if (value > most) throw new Error(`${name} is at most ${most}, not ${value}: there are no more customers`);
  return value;
}

/** How many client addresses this machine can send from (`k6 --local-ips`). With one, all virtual users are one client. */
export const addresses = countOption('ADDRESSES', { usual: 1 });

/** How many API tasks stand behind the balancer; 0 if nobody said. */
export const tasks = Number(__ENV.TASKS ?? 0);

/** Tells the things that this run makes from those of other runs. */
export const runId = __ENV.RUN_ID ?? Date.now().toString(36);

const loopback = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?\/?$/;

/**
 * Where the stack is. Load can break what it meets, so that only this machine is aimed at, unless `TARGET_I_OWN` repeats the
 * address: then it was no slip.
 */
export const baseUrl = (() => {
  const url = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');
  if (!loopback.test(url) && __ENV.TARGET_I_OWN?.replace(/\/$/, '') !== url) {
    throw new Error(`${url} is not on this machine. Set TARGET_I_OWN=${url} too if it is yours to put under load.`);
  }
  return url;
})();
