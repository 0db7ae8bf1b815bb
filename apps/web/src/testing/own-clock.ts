import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { announce } from '../interface/announcer.tsx';

/** Gives the tests of a file a fake clock, and cleans up the rendered components after each. */
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
    /** Clicks an element and runs everything that is due at once. */
    click: (element: HTMLElement) =>
      act(async () => {
        element.click();
        await vi.advanceTimersByTimeAsync(0);
      }),
  };
}
