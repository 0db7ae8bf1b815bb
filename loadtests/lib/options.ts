/** What a script is told by environment variables. Whoever runs k6 without the runner sets them with `-e NAME=value`. */

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

/** The same, without a fraction. */
export function countOption(name: string, values: { usual: number; short?: number }) {
  const value = numberOption(name, values);
  if (!Number.isInteger(value)) throw new Error(`${name} is a whole number, not ${value}`);
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
