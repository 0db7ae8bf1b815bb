import { useEffect, useEffectEvent, useReducer, useRef } from 'react';
import { serverClock } from '../api/server-clock.ts';
import { duration, msToNextSecond, secondsLeft, spokenMark } from '../words/durations.ts';
import { announce } from './announcer.tsx';

/** A timer cannot be set for longer than 24 days, and a laptop may sleep: a long wait looks at the clock now and then. */
const longestTimerMs = 60_000;

/**
 * Whole seconds until an instant, rendered again whenever they change. It goes by the clock, not by counting, so that a tab
 * that slept shows the right number when it wakes.
 * @param until in ms of the given clock; undefined stands still at 0
 * @param now the clock; by default the server's
 */
export function useSecondsLeft(until: number | undefined, now: () => number = serverClock.now): number {
  const [, lookAgain] = useReducer((looks: number) => looks + 1, 0);
  const left = until === undefined ? 0 : secondsLeft(until, now());
  useEffect(() => {
    if (until === undefined || left === 0) return;
    const timer = setTimeout(lookAgain, Math.min(longestTimerMs, msToNextSecond(until, now())));
    document.addEventListener('visibilitychange', lookAgain);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', lookAgain);
    };
  });
  return left;
}

/** Calls once, when a countdown that was running reaches its end. */
export function useCountdownEnd(left: number, onEnd: () => void): void {
  const end = useEffectEvent(onEnd);
  const ran = useRef(left > 0);
  useEffect(() => {
    if (left > 0) ran.current = true;
    else if (ran.current) {
      ran.current = false;
      end();
    }
  }, [left]);
}

/** Speaks a countdown at 5, 2 and 1 minutes and at 30 and 10 seconds. */
export function useSpokenCountdown(left: number, sentence: (time: string) => string): void {
  const mark = spokenMark(left);
  const spoken = useRef(mark);
  const speak = useEffectEvent((seconds: number) => announce(sentence(duration(seconds))));
  useEffect(() => {
    if (mark === spoken.current) return;
    spoken.current = mark;
    if (mark !== undefined && left > 0) speak(left);
  }, [mark, left]);
}
