import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { DoorList } from './door-list.tsx';

const { pass } = ownClock();

const entry = (holderName: string, index = 0) => ({
  ticketId: `ticket-${holderName}-${index}`,
  bookingId: `b00k1ng${index}-0000-4000-8000-000000000000`,
  holderName,
  holderEmail: `a…${index}@example.org`,
  ticketTypeName: 'Stalls',
  checkedInAt: null,
  checkedInBy: null,
});
type Call = { search: string | null; limit: string | null; signal: AbortSignal };

/** The requests for the list, and what a search is answered; a search without an answer stays open until it is aborted. */
const calls: Call[] = [];
const answers: Record<string, ReturnType<typeof entry>[]> = {};
beforeEach(() => {
  calls.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const { searchParams } = new URL(String(input), 'http://shop.example');
    const [search, limit] = [searchParams.get('search'), searchParams.get('limit')];
    const signal = init?.signal as AbortSignal;
    calls.push({ search, limit, signal });
    const items = answers[search ?? ''];
    if (items) return Promise.resolve(Response.json({ items, nextCursor: null, total: 5100, checkedIn: 1 }));
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
});
answers[''] = [entry('Ann')];
answers.zoe = [entry('Zoë', 1), entry('Zoë', 2)];
answers.nobody = [];

const render = async () => {
  await renderPart(<DoorList eventId="event" timeZone="Europe/Berlin" />);
  await settle();
};
const type = (text: string) => fireEvent.change(screen.getByLabelText('Find a name'), { target: { value: text } });
/** Lets a search begin, then lets its answer arrive and be drawn. */
const settle = async () => {
  for (const ms of [300, 0, 0]) await pass(ms);
};
const searches = () => calls.flatMap(({ search }) => (search === null ? [] : [search]));

test('a search is sent once, after the last letter, and the server answers it', async () => {
  await render();
  for (const text of ['z', 'zo', 'zoe']) {
    type(text);
    await pass(100);
  }
  expect(searches()).toEqual([]);
  await settle();
  expect(searches()).toEqual(['zoe']);
  expect(screen.getAllByText('Zoë')).toHaveLength(2);
  expect(screen.queryByText('Ann')).toBeNull();
});

test('a search that another one replaces is aborted', async () => {
  await render();
  type('slow');
  await settle();
  type('zoe');
  await settle();
  expect(calls.find(({ search }) => search === 'slow')?.signal.aborted).toBe(true);
  expect(screen.getAllByText('Zoë')).toHaveLength(2);
});

test('two holders of the same name differ by their e-mail address and booking', async () => {
  await render();
  type('zoe');
  await settle();
  screen.getByText('a…1@example.org, booking b00k1ng1');
  screen.getByText('a…2@example.org, booking b00k1ng2');
});

test('the counts are those of the event, whatever is searched for', async () => {
  await render();
  type('nobody');
  await settle();
  screen.getByText('No ticket holder with that name.');
  expect(screen.getByText(/of 5100 checked in/).textContent).toBe('1 of 5100 checked in.');
});
