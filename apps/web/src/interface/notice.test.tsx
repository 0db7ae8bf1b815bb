import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { refusal } from '../testing/api-problem.ts';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { announce } from './announcer.tsx';
import { ProblemNotice } from './notice.tsx';

const { click, pass } = ownClock();

test('a limit is told in words with the exact wait, which counts down; then it may be tried again', async () => {
  const again = vi.fn();
  await renderPart(
    <ProblemNotice problem={refusal('rate_limited', { retryAfterMs: 12_000 })} doing="holding" again={again} />,
  );
  expect(screen.getByRole('alert').textContent).toContain('Nothing was held');
  expect(screen.getByRole('alert').textContent).toContain('You can try again in 12 seconds.');
  expect(screen.queryByRole('button')).toBeNull();

  await pass(5000);
  expect(screen.getByText('You can try again in 7 seconds.')).toBeTruthy();
  // What listens is told the wait once, not every second.
  expect(screen.getByRole('alert').textContent).toContain('in 12 seconds');

  await pass(7000);
  expect(screen.getByText('You can try again now.')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('You can try again now.');
  await click(screen.getByRole('button', { name: 'Try again now' }));
  expect(again).toHaveBeenCalledOnce();
});

test('what passes by itself is tried again by itself, once, when its wait is over', async () => {
  const again = vi.fn();
  await renderPart(
    <ProblemNotice problem={refusal('busy', { retryAfterMs: 3000 })} doing="logging_in" again={again} automatic />,
  );
  await pass(2999);
  expect(again).not.toHaveBeenCalled();
  await pass(1);
  await pass(60_000);
  expect(again).toHaveBeenCalledOnce();
});

test('who has to log in first comes back to where they were', async () => {
  await renderPart(<ProblemNotice problem={refusal('unauthenticated')} doing="holding" />, '/events/summer-night');
  expect(screen.getByRole('link', { name: 'Log in' }).getAttribute('href')).toContain(
    encodeURIComponent('/events/summer-night'),
  );
});

test('a refusal takes the place of what was said before it', async () => {
  announce('Come in. Stalls.');
  await renderPart(<ProblemNotice problem={refusal('already_checked_in')} doing="checking_in" />);
  expect(screen.getByRole('alert').textContent).toContain('This ticket was already used');
  expect(screen.getByRole('status').textContent).toBe('');
});

test('a refusal that waiting does not cure offers no second try', async () => {
  await renderPart(<ProblemNotice problem={refusal('sold_out')} doing="holding" again={vi.fn()} />);
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByText(/try again/i)).toBeNull();
});
