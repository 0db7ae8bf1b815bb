import { useEffect, useEffectEvent, useReducer, useRef } from 'react';
import { serverClock } from '../api/server-clock.ts';
import { duration, msToNextSecond, secondsLeft, spokenMark } from '../words/durations.ts';
import { announce } from './announcer.tsx';

/** Long waits recheck the clock at this interval: a timer cannot exceed 24 days, and a laptop may sleep meanwhile. */
const maxTimerMs = 60_000;

/**
 * Returns whole seconds until an instant and re-renders whenever they change. It reads the clock instead of counting, so
 * that a tab shows the right number after a sleep.
 * @param until in ms of the given clock; undefined means 0
 * @param now the clock, by default the server's
 */
export function useSecondsLeft(until: number | undefined, now: () => number = serverClock.now): number {
  const [, rerender] = useReducer((looks: number) => looks + 1, 0);
  const left = until === undefined ? 0 : secondsLeft(until, now());
  useEffect(() => {
    if (until === undefined || left === 0) return;
    const timer = setTimeout(rerender, Math.min(maxTimerMs, msToNextSecond(until, now())));
    document.addEventListener('visibilitychange', rerender);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', rerender);
    };
  });
  return left;
}

/** Calls `onEnd` once when a running countdown reaches 0. */
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

/** Announces a countdown at 5, 2 and 1 minutes and at 30 and 10 seconds. */
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
