/** The caller says what time it is. */
export { callersClock } from '../frame/subjects/clock.ts';
