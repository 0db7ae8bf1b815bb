import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { CopyButton } from './copy-button.tsx';

const { click, pass } = ownClock();
const label = () => screen.getByRole('button').textContent;

test('a button says that it copied, and after three seconds what it does again', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  expect(writeText).toHaveBeenCalledWith('curl');
  expect(label()).toBe('Copied');
  // A second click is told as long as the first one.
  await pass(2000);
  await click(screen.getByRole('button'));
  await pass(2999);
  expect(label()).toBe('Copied');
  await pass(1);
  expect(label()).toBe('Copy the commands');
});

test('what listens is told once that it copied', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  const said = screen.getByRole('status').textContent;
  expect(said).toBe('Copied the commands.');
  await pass(10_000);
  expect(screen.getByRole('status').textContent).toBe(said);
});

test('where the browser refuses, the button says so for as long', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not here'));
  await renderPart(<CopyButton text="curl" what="the commands" />);
  await click(screen.getByRole('button'));
  expect(label()).toBe('Select and copy');
  await pass(3000);
  expect(label()).toBe('Copy the commands');
});
