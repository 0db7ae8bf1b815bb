import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { refusal } from '../testing/api-problem.ts';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { announce } from './announcer.tsx';
import { ProblemNotice } from './notice.tsx';

const { click, pass } = ownClock();

test('a rate-limited request shows a countdown to the exact second, then a button to retry', async () => {
  const retry = vi.fn();
  await renderPart(
    <ProblemNotice problem={refusal('rate_limited', { retryAfterMs: 12_000 })} action="holding" retry={retry} />,
  );
  expect(screen.getByRole('alert').textContent).toContain('Nothing was held');
  expect(screen.getByRole('alert').textContent).toContain('Try again in 12 seconds.');
  expect(screen.queryByRole('button')).toBeNull();

  await pass(5000);
  expect(screen.getByText('Try again in 7 seconds.')).toBeTruthy();
  // The alert announces the wait once, not every second.
  expect(screen.getByRole('alert').textContent).toContain('in 12 seconds');

  await pass(7000);
  expect(screen.getByText('You can try again now.')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('You can try again now.');
  await click(screen.getByRole('button', { name: 'Try again now' }));
  expect(retry).toHaveBeenCalledOnce();
});

test('a temporary failure is retried automatically, once, when its wait is over', async () => {
  const retry = vi.fn();
  await renderPart(
    <ProblemNotice problem={refusal('busy', { retryAfterMs: 3000 })} action="logging_in" retry={retry} automatic />,
  );
  await pass(2999);
  expect(retry).not.toHaveBeenCalled();
  await pass(1);
  await pass(60_000);
  expect(retry).toHaveBeenCalledOnce();
});

test('the log-in link leads back to the current page', async () => {
  await renderPart(<ProblemNotice problem={refusal('unauthenticated')} action="holding" />, '/events/summer-night');
  expect(screen.getByRole('link', { name: 'Log in' }).getAttribute('href')).toContain(
    encodeURIComponent('/events/summer-night'),
  );
});

test('a refusal replaces the previous announcement', async () => {
  announce('Admitted. Stalls.');
  await renderPart(<ProblemNotice problem={refusal('already_checked_in')} action="checking_in" />);
  expect(screen.getByRole('alert').textContent).toContain('This ticket was already used');
  expect(screen.getByRole('status').textContent).toBe('');
});

test('a refusal that waiting cannot resolve offers no retry', async () => {
  await renderPart(<ProblemNotice problem={refusal('sold_out')} action="holding" retry={vi.fn()} />);
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByText(/try again/i)).toBeNull();
});
