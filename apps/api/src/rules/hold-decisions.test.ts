import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideHolds, type HoldRequest, type Inventory } from './hold-decisions.ts';

const now = new Date('2026-11-01T12:00:00Z');
const onSale = {
  status: 'on_sale' as const,
  salesOpenAt: new Date(now.getTime() - 1),
  salesCloseAt: new Date(now.getTime() + 1),
  maxPerUser: 10,
};
const typeOf = (id: string, free: number) => ({ id, name: `Type ${id}`, priceMinor: 500, currency: 'EUR', free });

function inventory(change: Partial<Inventory> = {}): Inventory {
  return { now, event: onSale, ticketTypes: [typeOf('a', 5), typeOf('b', 5)], placesOfUsers: new Map(), ...change };
}
const asks = (userId: string, ...lines: [string, number][]): HoldRequest => ({
  userId,
  lines: lines.map(([ticketTypeId, quantity]) => ({ ticketTypeId, quantity })),
});
const decide = (change: Partial<Inventory>, ...requests: HoldRequest[]) => decideHolds(inventory(change), requests);

test('requests are decided in order of arrival', () => {
  const { decisions } = decide({ ticketTypes: [typeOf('a', 1)] }, asks('u', ['a', 1]), asks('v', ['a', 1]));
  expect(decisions).toMatchObject([{ held: { places: 1 } }, { refused: { kind: 'sold-out' } }]);
});

test('a refusal takes no inventory, so a smaller request behind it succeeds', () => {
  const { decisions, free } = decide({ ticketTypes: [typeOf('a', 2)] }, asks('u', ['a', 3]), asks('v', ['a', 2]));
  expect(decisions).toMatchObject([{ refused: { kind: 'sold-out' } }, { held: { places: 2 } }]);
  expect(free.get('a')).toBe(0);
});

test('a request gets all of its lines or none', () => {
  const { decisions, free } = decide({ ticketTypes: [typeOf('a', 5), typeOf('b', 0)] }, asks('u', ['a', 1], ['b', 1]));
  expect(decisions).toEqual([{ refused: { kind: 'sold-out', ticketTypeName: 'Type b' } }]);
  expect(free.get('a')).toBe(5);
});

test('a user’s existing tickets and earlier requests in the same batch count towards the limit', () => {
  const event = { ...onSale, maxPerUser: 3 };
  const placesOfUsers = new Map([['u', 1]]);
  const { decisions } = decide({ event, placesOfUsers }, asks('u', ['a', 1]), asks('u', ['b', 2]), asks('u', ['b', 1]));
  expect(decisions).toMatchObject([
    { held: { places: 1 } },
    { refused: { kind: 'user-limit-reached', maxPerUser: 3 } },
    { held: { places: 1 } },
  ]);
});

test('a user at their limit is refused for that reason, even if the event is sold out', () => {
  const event = { ...onSale, maxPerUser: 1 };
  const { decisions } = decide(
    { event, ticketTypes: [typeOf('a', 0)], placesOfUsers: new Map([['u', 1]]) },
    asks('u', ['a', 1]),
  );
  expect(decisions).toMatchObject([{ refused: { kind: 'user-limit-reached' } }]);
});

test('the sale window includes its first instant and excludes its last', () => {
  const at = (salesOpenAt: number, salesCloseAt: number) =>
    decide(
      {
        event: {
          ...onSale,
          salesOpenAt: new Date(now.getTime() + salesOpenAt),
          salesCloseAt: new Date(now.getTime() + salesCloseAt),
        },
      },
      asks('u', ['a', 1]),
    ).decisions[0];
  expect(at(0, 1)).toHaveProperty('held');
  expect(at(1, 2)).toEqual({ refused: { kind: 'sales-not-open', opensInMs: 1 } });
  expect(at(-1, 0)).toEqual({ refused: { kind: 'sales-closed' } });
});

test('an event that is unknown, a draft or cancelled sells nothing', () => {
  const kindOf = (event: Inventory['event']) => decide({ event }, asks('u', ['a', 1])).decisions[0];
  expect(kindOf(undefined)).toEqual({ refused: { kind: 'not-found', what: 'event' } });
  expect(kindOf({ ...onSale, status: 'draft' })).toEqual({ refused: { kind: 'event-not-on-sale' } });
  expect(kindOf({ ...onSale, status: 'cancelled' })).toEqual({ refused: { kind: 'event-not-on-sale' } });
});

test('a ticket type of another event counts as unknown', () => {
  expect(decide({}, asks('u', ['a', 1], ['elsewhere', 1])).decisions).toEqual([
    { refused: { kind: 'not-found', what: 'ticket type' } },
  ]);
});

const line = fc.record({ ticketTypeId: fc.constantFrom('a', 'b', 'c'), quantity: fc.integer({ min: 1, max: 4 }) });
const request = fc.record({
  userId: fc.constantFrom('u', 'v', 'w', 'x'),
  lines: fc.uniqueArray(line, { minLength: 1, selector: ({ ticketTypeId }) => ticketTypeId }),
});
const batch = fc.record({
  free: fc.tuple(fc.nat(8), fc.nat(8), fc.nat(8)),
  maxPerUser: fc.integer({ min: 1, max: 10 }),
  requests: fc.array(request, { maxLength: 20 }),
});

test('property: no batch oversells or exceeds a user’s limit, and every refusal is justified at its turn', () => {
  fc.assert(
    fc.property(batch, ({ free, maxPerUser, requests }) => {
      const left = new Map(['a', 'b', 'c'].map((id, index) => [id, free[index] ?? 0]));
      const ticketTypes = [...left].map(([id, places]) => typeOf(id, places));
      const result = decideHolds(inventory({ event: { ...onSale, maxPerUser }, ticketTypes }), requests);
      const places = new Map<string, number>();
      result.decisions.forEach((decision, index) => {
        const { userId, lines } = requests[index] as (typeof requests)[number];
        const wanted = lines.reduce((sum, { quantity }) => sum + quantity, 0);
        const fits = lines.every(({ ticketTypeId, quantity }) => (left.get(ticketTypeId) ?? 0) >= quantity);
        const allowed = (places.get(userId) ?? 0) + wanted <= maxPerUser;
        expect('held' in decision).toBe(fits && allowed);
        if (!('held' in decision)) return;
        places.set(userId, (places.get(userId) ?? 0) + wanted);
        for (const { ticketTypeId, quantity } of lines)
          left.set(ticketTypeId, (left.get(ticketTypeId) ?? 0) - quantity);
        expect(decision.held.places).toBe(wanted);
        expect(decision.held.totalMinor).toBe(wanted * 500);
      });
      expect(result.free).toEqual(left);
      for (const rest of left.values()) expect(rest).toBeGreaterThanOrEqual(0);
    }),
  );
});
