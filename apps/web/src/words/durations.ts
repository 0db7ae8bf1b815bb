/** Returns whole seconds until an instant, rounded up: 0 exactly when it is reached, never before. */
export const secondsLeft = (untilMs: number, nowMs: number): number => Math.max(0, Math.ceil((untilMs - nowMs) / 1000));

/** Returns in how many ms the value of `secondsLeft` changes. */
export function msToNextSecond(untilMs: number, nowMs: number): number {
  const leftMs = untilMs - nowMs;
  return leftMs <= 0 ? 0 : leftMs - (Math.ceil(leftMs / 1000) - 1) * 1000;
}

const [minute, hour, day] = [60, 3600, 86_400];

/** `42 seconds`, `1 min 42 s`, `2 h 5 min`, `3 days 4 h`: exact below an hour, in two units above. */
export function duration(seconds: number): string {
  if (seconds < minute) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (seconds < hour) return pair(Math.floor(seconds / minute), 'min', seconds % minute, 's');
  if (seconds < day) return pair(Math.floor(seconds / hour), 'h', Math.floor((seconds % hour) / minute), 'min');
  const days = Math.floor(seconds / day);
  return pair(days, days === 1 ? 'day' : 'days', Math.floor((seconds % day) / hour), 'h');
}

const pair = (major: number, majorUnit: string, minor: number, minorUnit: string) =>
  minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;

/** `9:07`, as a clock shows it. */
export const clockFace = (seconds: number): string =>
  `${Math.floor(seconds / minute)}:${String(seconds % minute).padStart(2, '0')}`;

const spokenAt = [10, 30, 60, 120, 300];

/**
 * Returns the last mark that a countdown has passed, undefined before the first one. A screen reader announces a countdown
 * once per mark, not once a second.
 */
export const spokenMark = (seconds: number): number | undefined => spokenAt.find((mark) => seconds <= mark);
