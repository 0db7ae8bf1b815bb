import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { lateShow } from '../testing/late-show.ts';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { OwnEvent } from './own-event.tsx';

const { pass } = ownClock();

test('the editor of a cancelled event is view only: no field and no button can change it', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ ...lateShow, status: 'cancelled' }));
  await renderPart(<OwnEvent id={lateShow.id} />);
  for (let turn = 0; turn < 2; turn++) await pass(0);
  screen.getByText('View only');
  expect(screen.queryAllByRole('textbox')).toEqual([]);
  expect(screen.queryAllByRole('button')).toEqual([]);
  screen.getByRole('link', { name: 'Door list' });
});
