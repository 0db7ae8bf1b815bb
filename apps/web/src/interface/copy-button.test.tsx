import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { CopyButton } from './copy-button.tsx';

const { click, pass } = ownClock();
const label = () => screen.getByRole('button').textContent;

test('the button shows that it copied for three seconds, then its own text again', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  expect(writeText).toHaveBeenCalledWith('curl');
  expect(label()).toBe('Copied');
  // A second click restarts the three seconds.
  await pass(2000);
  await click(screen.getByRole('button'));
  await pass(2999);
  expect(label()).toBe('Copied');
  await pass(1);
  expect(label()).toBe('Copy the commands');
});

test('copying is announced once to screen readers', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  const said = screen.getByRole('status').textContent;
  expect(said).toBe('Copied the commands.');
  await pass(10_000);
  expect(screen.getByRole('status').textContent).toBe(said);
});

test('a browser that denies the clipboard makes the button ask to select and copy', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not here'));
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  expect(label()).toBe('Select and copy');
  await pass(3000);
  expect(label()).toBe('Copy the commands');
});
