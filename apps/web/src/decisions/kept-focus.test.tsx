import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { FocusNext, KeptFocus } from './kept-focus.tsx';

afterEach(cleanup);

/** Before and after something inside has made place for another thing. */
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
])('when Run makes place for Cancel, the focus of %s is at %s', async (focused, then) => {
  const { rerender } = render(shown(false));
  screen.getByText(focused).focus();
  rerender(shown(true));
  await Promise.resolve();
  expect(document.activeElement?.textContent).toBe(then);
});

test('who has pressed beside it before is not fetched back', async () => {
  const { rerender } = render(shown(false));
  screen.getByText('Run').focus();
  fireEvent.pointerDown(document.body);
  screen.getByText('Run').blur();
  rerender(shown(true));
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});
