/** A script's options come from environment variables. Without the runner, set them with `k6 run -e NAME=value`. */

/** Whether to run for seconds instead of minutes, for continuous integration. */
export const short = __ENV.SHORT === '1';

/**
 * Reads a positive number from the environment.
 * @throws if it is anything else
 */
export function numberOption(name: string, { full, short: shortValue = full }: { full: number; short?: number }) {
  const given = __ENV[name];
  const value = given === undefined || given === '' ? (short ? shortValue : full) : Number(given);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a positive number, not ${given}`);
  return value;
}

/**
 * Reads a positive whole number from the environment.
 * @throws if it is anything else, or above `max`: a script that runs out of customers proves nothing
 */
export function countOption(
  name: string,
  { max = Number.POSITIVE_INFINITY, ...values }: { full: number; short?: number; max?: number },
) {
  const value = numberOption(name, values);
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number, not ${value}`);
  if (value > max) throw new Error(`${name} must be at most ${max}, not ${value}: there are no more customers`);
  return value;
}

/** The number of client addresses to send from (`k6 --local-ips`). With one, all virtual users are one client. */
export const addresses = countOption('ADDRESSES', { full: 1 });

/** The number of API tasks behind the balancer; 0 if unknown. */
export const tasks = Number(__ENV.TASKS ?? 0);

/** Distinguishes the data of this run from that of other runs. */
export const runId = __ENV.RUN_ID ?? Date.now().toString(36);

const loopback = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?\/?$/;

/**
 * The URL of the stack. Load can break a system, so a stack on another machine needs the same URL in `TARGET_I_OWN`, which no
 * one sets by mistake.
 */
export const baseUrl = (() => {
  const url = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');
  if (!loopback.test(url) && __ENV.TARGET_I_OWN?.replace(/\/$/, '') !== url) {
    throw new Error(`${url} is not on this machine. Set TARGET_I_OWN=${url} too if it is yours to put under load.`);
  }
  return url;
})();
