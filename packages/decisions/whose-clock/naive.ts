/** The caller sends the time. */
export { callersClock } from '../frame/subjects/clock.ts';
