import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { FocusNext, KeptFocus } from './kept-focus.tsx';

afterEach(cleanup);

/** Before and after the content inside is replaced. */
const shown = (isStarted: boolean) => (
  <>
    <button type="button">Elsewhere</button>
    <KeptFocus>
      {isStarted ? (
        <FocusNext>
          <p>Running</p>
          <button type="button">Cancel</button>
        </FocusNext>
      ) : (
        <form>
          <button type="button">Run</button>
        </form>
      )}
      <button type="button">Stays</button>
    </KeptFocus>
  </>
);

test.each([
  ['Run', 'Cancel'],
  ['Stays', 'Stays'],
  ['Elsewhere', 'Elsewhere'],
])('when Cancel replaces Run, the focus of %s moves to %s', async (focused, then) => {
  const { rerender } = render(shown(false));
  screen.getByText(focused).focus();
  rerender(shown(true));
  await Promise.resolve();
  expect(document.activeElement?.textContent).toBe(then);
});

test('a reader who clicked elsewhere keeps the focus there', async () => {
  const { rerender } = render(shown(false));
  screen.getByText('Run').focus();
  fireEvent.pointerDown(document.body);
  screen.getByText('Run').blur();
  rerender(shown(true));
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});
