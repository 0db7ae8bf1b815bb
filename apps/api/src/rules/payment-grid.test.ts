import { expect, test } from 'vitest';
import {
  type BookingStanding,
  type PaymentStatus,
  type ProviderEvent,
  paymentAction,
  paymentGrid,
} from './payment-grid.ts';

/*
 * A model of a booking and its payments as PostgreSQL stores them, moved by the grid. The test plays every order of all
 * possible steps and checks the invariants after each.
 */
type Payment = { status: PaymentStatus; accepted: boolean; sentBack: boolean };
type World = {
  booking: 'held' | 'expired' | 'cancelled' | 'confirmed';
  placesElsewhere: boolean;
  onSale: boolean;
  payments: Payment[];
};

const steps = ['hold ends', 'places are sold', 'buyer cancels', 'event is withdrawn'] as const;
const words = ['accepted', 'declined', 'refunded'] as const;

function play(world: World, step: (typeof steps)[number] | { of: number; word: ProviderEvent }): World | null {
  const next = structuredClone(world);
  if (typeof step !== 'string') {
    const payment = next.payments[step.of];
    if (!payment) return null;
    // The provider may report anything at any time about any attempt, even a refund of a charge that was never reported.
    if (step.word !== 'declined') payment.accepted = true;
    if (step.word === 'refunded') {
      if (payment.sentBack) return null;
      payment.sentBack = true;
    }
    apply(next, payment, paymentAction(payment.status, step.word, standing(next)));
    return next;
  }
  switch (step) {
    case 'hold ends':
      if (next.booking !== 'held') return null;
      next.booking = 'expired';
      return next;
    case 'places are sold':
      if (next.booking !== 'expired' && next.booking !== 'cancelled') return null;
      next.placesElsewhere = true;
      return next;
    case 'buyer cancels':
      if (next.booking !== 'held' && next.booking !== 'confirmed') return null;
      next.booking = 'cancelled';
      for (const payment of next.payments) if (payment.status === 'charged') payment.status = 'refund_due';
      return next;
    case 'event is withdrawn':
      next.onSale = false;
      return next;
  }
}

function standing(world: World): BookingStanding {
  if (world.booking === 'confirmed') return 'confirmed_otherwise';
  if (world.booking === 'cancelled') return 'cancelled';
  if (!world.onSale) return 'withdrawn';
  if (world.booking === 'held') return 'held';
  return world.placesElsewhere ? 'lapsed_without_room' : 'lapsed_with_room';
}

function apply(world: World, payment: Payment, action: ReturnType<typeof paymentAction>) {
  switch (action) {
    case 'confirm':
    case 'retake_and_confirm':
      // These tickets were sold to others: confirming would oversell.
      expect(world.placesElsewhere).toBe(false);
      expect(action === 'confirm').toBe(world.booking === 'held');
      payment.status = 'charged';
      world.booking = 'confirmed';
      return;
    case 'refund':
      payment.status = 'refund_due';
      return;
    case 'decline':
      payment.status = 'declined';
      return;
    case 'note_refund':
    case 'note_charge_and_refund':
      payment.status = 'refunded';
      return;
    case 'revoke':
      payment.status = 'refunded';
      world.booking = 'cancelled';
      return;
    case 'nothing':
      return;
  }
}

function check(world: World) {
  const kept = world.payments.filter(({ status }) => status === 'charged');
  expect(kept.length).toBe(world.booking === 'confirmed' ? 1 : 0);
  for (const { status, accepted, sentBack } of world.payments) {
    // Money that was charged is kept or on its way back; money that was never charged is neither.
    expect(['charged', 'refund_due', 'refunded'].includes(status)).toBe(accepted);
    expect(status === 'refunded').toBe(sentBack);
  }
}

/**
 * Returns the number of orders in which the world can continue. The rest depends on the world alone, so each state is
 * explored once (memoised).
 */
function playAll(world: World, depth: number, played = new Map<string, number>()): number {
  if (depth === 0) return 1;
  const here = `${depth} ${JSON.stringify(world)}`;
  const known = played.get(here);
  if (known !== undefined) return known;
  const moves = [...steps, ...world.payments.flatMap((_, of) => words.map((word) => ({ of, word })))];
  const orders = moves.reduce((sum, move) => {
    const next = play(world, move);
    if (!next) return sum;
    check(next);
    return sum + playAll(next, depth - 1, played);
  }, 0);
  played.set(here, orders);
  return orders;
}

const fresh = (): Payment => ({ status: 'pending', accepted: false, sentBack: false });
const begin = (payments: number): World => ({
  booking: 'held',
  placesElsewhere: false,
  onSale: true,
  payments: Array.from({ length: payments }, fresh),
});

test('money is kept if and only if tickets are issued, in every order of seven events of one payment', () => {
  expect(playAll(begin(1), 7)).toBeGreaterThan(1_000);
});

test('the same holds for two payments of one booking, one of which was given up too early', () => {
  expect(playAll(begin(2), 5)).toBeGreaterThan(1_000);
});

const statuses = Object.keys(paymentGrid) as PaymentStatus[];
const standings: BookingStanding[] = [
  'held',
  'lapsed_with_room',
  'lapsed_without_room',
  'withdrawn',
  'confirmed_otherwise',
  'cancelled',
];
const cells = statuses.flatMap((status) =>
  words.flatMap((word) => standings.map((standing) => ({ status, word, standing }))),
);

test('the grid has a cell for every combination', () => {
  expect(cells).toHaveLength(90);
  for (const { status, word, standing } of cells) expect(paymentAction(status, word, standing)).toBeTypeOf('string');
});

test('a failure never undoes a success, and no payment is charged or refunded twice', () => {
  for (const { status, word, standing } of cells) {
    const action = paymentAction(status, word, standing);
    if (word === 'declined') expect(['decline', 'nothing']).toContain(action);
    if (status !== 'pending') expect(action).not.toBe('decline');
    if (status !== 'pending' && status !== 'declined')
      expect(['confirm', 'retake_and_confirm', 'refund']).not.toContain(action);
    if (status === 'refunded') expect(action).toBe('nothing');
  }
});
