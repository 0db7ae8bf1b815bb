import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { announce } from '../interface/announcer.tsx';

/** Gives the tests of a file a clock that only they move. What they showed is gone after each. */
export function ownClock() {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-06-01T10:00:00Z') });
  });
  afterEach(() => {
    cleanup();
    announce('');
    vi.useRealTimers();
  });
  return {
    pass: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)),
    /** Clicks, and lets everything happen that needs no time. */
    click: (element: HTMLElement) =>
      act(async () => {
        element.click();
        await vi.advanceTimersByTimeAsync(0);
      }),
  };
}
