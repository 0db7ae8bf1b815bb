import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { Announcer } from './announcer.tsx';
import { useCountdownEnd, useSecondsLeft, useSpokenCountdown } from './countdown.tsx';

const { pass } = ownClock();

function Countdown({
  until,
  now = Date.now,
  onEnd = () => {},
}: {
  until?: number;
  now?: () => number;
  onEnd?: () => void;
}) {
  const left = useSecondsLeft(until, now);
  useCountdownEnd(left, onEnd);
  useSpokenCountdown(left, (time) => `${time} left`);
  return <p role="timer">{left}</p>;
}
const shown = () => Number(screen.getByRole('timer').textContent);

test('a countdown shows every second down to 0 and ends once', async () => {
  const onEnd = vi.fn();
  render(<Countdown until={Date.now() + 2500} onEnd={onEnd} />);
  const seen = [shown()];
  for (const ms of [500, 1000, 999, 1, 5000]) {
    await pass(ms);
    seen.push(shown());
  }
  expect(seen).toEqual([3, 2, 1, 1, 0, 0]);
  expect(onEnd).toHaveBeenCalledOnce();
});

test('a countdown that starts at 0 never calls onEnd', () => {
  const onEnd = vi.fn();
  render(<Countdown until={Date.now() - 1} onEnd={onEnd} />);
  expect(shown()).toBe(0);
  expect(onEnd).not.toHaveBeenCalled();
});

test('a countdown uses the clock it is given, not the computer’s', () => {
  render(<Countdown until={Date.now() + 10_000} now={() => Date.now() + 4000} />);
  expect(shown()).toBe(6);
});

test('a countdown is right as soon as a sleeping tab becomes visible', async () => {
  render(<Countdown until={Date.now() + 60_000} />);
  vi.setSystemTime(Date.now() + 50_000);
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
  expect(shown()).toBe(10);
});

test('a countdown is announced at its marks, not every second', async () => {
  render(
    <>
      <Countdown until={Date.now() + 125_000} />
      <Announcer />
    </>,
  );
  const spoken = new Set<string>();
  for (let second = 0; second < 125; second += 1) {
    await pass(1000);
    spoken.add(screen.getByRole('status').textContent ?? '');
  }
  expect([...spoken]).toEqual(['', '2 min left', '1 min left', '30 seconds left', '10 seconds left']);
});
