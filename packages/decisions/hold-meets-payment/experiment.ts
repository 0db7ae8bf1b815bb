import { randomUUID } from 'node:crypto';
import { sandboxProvider } from '@minitickets/api/payments/sandbox-provider';
import { refundPayment, settlePayment } from '@minitickets/api/payments/settle-payment';
import { refundSandboxCharge } from '@minitickets/api/queries/sandbox-charges';
import { type PaymentGrid, type ProviderEvent, paymentGrid } from '@minitickets/api/rules/payment-grid';
import { sql } from 'drizzle-orm';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { shippedWriting } from '../frame/subjects/desks.ts';
import { type Attempt, bookingsThat, chargeAtProvider, standings } from './bookings.ts';
import { type Faults, faultsOf } from './books.ts';
import { confirmAnyway, heldOrNothing, inOrder } from './naive.ts';

/** What the provider tells of one charge: one message after the other, or several at the same moment. */
const stories: { what: string; told: ProviderEvent[][] }[] = [
  { what: 'accepted', told: [['accepted']] },
  { what: 'accepted, told twice', told: [['accepted'], ['accepted']] },
  { what: 'accepted, told three times at once', told: [['accepted', 'accepted', 'accepted']] },
  { what: 'declined', told: [['declined']] },
  { what: 'accepted after a decline', told: [['declined'], ['accepted']] },
  { what: 'accepted, then a late decline', told: [['accepted'], ['declined']] },
  { what: 'accepted, then charged back', told: [['accepted'], ['refunded']] },
  { what: 'sent back, and told before the charge', told: [['refunded'], ['accepted']] },
];
const CELLS = standings.length * stories.length;

const naive = (region: string) => ({ file: 'packages/decisions/hold-meets-payment/naive.ts', region });
const shipped = (region: string) => ({ file: 'apps/api/src/rules/payment-grid.ts', region });

type Measure = 'money-without-tickets' | 'tickets-without-money' | 'places-twice';

export default defineExperiment<PaymentGrid, Measure>({
  name: 'hold-meets-payment',
  claim:
    'Money is kept if and only if there are tickets for it, however the booking stands and in whatever order it is told.',
  load: `${CELLS} bookings of a place each: every way in which a booking can stand (held, ended with its place still free or sold again, called off, paid by another attempt, cancelled) meets every way in which a provider can tell of a charge (${stories.map(({ what }) => what).join('; ')}). The CHECK on the table is taken off: it would turn places given twice into errors.`,
  measures: {
    'money-without-tickets': `charges kept without tickets, in ${CELLS} bookings`,
    'tickets-without-money': `tickets without a charge, in ${CELLS} bookings`,
    'places-twice': 'places that two people have',
  },
  naive: {
    'confirm-anyway': {
      what: 'who has paid gets tickets, however the booking stands',
      subject: confirmAnyway(),
      differences: [{ shipped: shipped('on-charge'), instead: naive('confirm-anyway') }],
      mostChangedLines: 6,
      // Five of the stories end with money that was charged. Twice it meets a place that is somebody else's, and once an evening
      // that was called off. In the room that is left it is right.
      fails: {
        'money-without-tickets': exactly(5),
        'tickets-without-money': exactly(0),
        'places-twice': exactly(10),
      },
    },
    'held-or-nothing': {
      what: 'a booking that is not held any more cannot be paid, and that is all',
      subject: heldOrNothing(),
      differences: [{ shipped: shipped('on-charge'), instead: naive('held-or-nothing') }],
      mostChangedLines: 10,
      fails: {
        'money-without-tickets': exactly(25),
        'tickets-without-money': exactly(0),
        'places-twice': exactly(0),
      },
    },
    'in-order': {
      what: 'believes that it is told things in the order in which they happened',
      subject: inOrder(),
      differences: [{ shipped: shipped('grid'), instead: naive('in-order') }],
      mostChangedLines: 6,
      // Right for whoever is told in order: the two bookings that can be confirmed meet a late decline and an early refund.
      fails: {
        'money-without-tickets': exactly(2),
        'tickets-without-money': exactly(2),
        'places-twice': exactly(0),
      },
    },
  },
  shipped: {
    what: 'has a written answer to each, decided under the event’s lock',
    subject: paymentGrid,
    holds: { 'money-without-tickets': exactly(0), 'tickets-without-money': exactly(0), 'places-twice': exactly(0) },
  },
  mutation: {
    what: 'a refund that nobody here asked for is not believed',
    subject: { ...paymentGrid, charged: { ...paymentGrid.charged, refunded: 'nothing' } },
  },
  prediction: {
    question: `${CELLS} bookings, of which a sixth is still held: how many charges does a shop keep without tickets that ignores payments of all others?`,
    arm: 'held-or-nothing',
    measure: 'money-without-tickets',
  },

  async run(stage, grid) {
    const [task] = await stage.bookingTasks(1);
    if (!task) throw new Error('one task is one task');
    const { db } = task;
    const provider = sandboxProvider(db);
    await db.execute(sql`alter table ticket_types drop constraint if exists ticket_types_never_oversold`);

    const book = shippedWriting(task);
    const rows = await Promise.all(
      standings.map(async (standing) => ({ standing, ...(await bookingsThat(db, book, standing, stories.length)) })),
    );
    const eventIds = rows.map(({ house }) => house.eventId);

    /** As the route of the webhook does: what is due goes back at once. */
    async function tell({ id }: Attempt, event: ProviderEvent, webhookId: string) {
      const settled = await settlePayment(db, id, event, webhookId, grid);
      if (settled?.status === 'refund_due') await refundPayment(db, provider, id);
    }

    async function meet(attempt: Attempt, told: ProviderEvent[][]) {
      const events = told.flat();
      await chargeAtProvider(db, attempt, events.includes('accepted') ? 'accepted' : 'declined');
      if (events.includes('refunded')) await refundSandboxCharge(db, attempt.id);
      const webhookIds = { accepted: randomUUID(), declined: randomUUID(), refunded: randomUUID() };
      for (const atOnce of told) await Promise.all(atOnce.map((event) => tell(attempt, event, webhookIds[event])));
    }

    let right = 0;
    let faults = await faultsOf(db, eventIds);
    for (const [index, { what, told }] of stories.entries()) {
      stage.emit({ kind: 'scene', what });
      // Bookings that stand differently are of different evenings, and in nobody's way.
      await Promise.all(rows.map(({ attempts }) => meet(attempts[index] as Attempt, told)));
      const before = faults;
      faults = await faultsOf(db, eventIds);
      for (const [row, actor] of standings.entries()) {
        const fault = newFault(before[row] as Faults, faults[row] as Faults);
        if (fault === undefined) right += 1;
        const outcome = fault === undefined ? 'served' : 'failed';
        stage.emit({ kind: 'request', actor, outcome, detail: `${what}: ${fault ?? 'right'}` });
      }
      stage.emit({ kind: 'level', name: 'bookings whose money and tickets agree', value: right, most: CELLS });
    }
    const sumOf = (fault: keyof Faults) => faults.reduce((sum, of) => sum + of[fault], 0);
    return {
      'money-without-tickets': sumOf('moneyWithoutTickets'),
      'tickets-without-money': sumOf('ticketsWithoutMoney'),
      'places-twice': sumOf('placesTwice'),
    };
  },
});

/** What a booking has made wrong, in words, if anything. */
function newFault(before: Faults, after: Faults) {
  if (after.placesTwice > before.placesTwice) return 'a place given twice';
  if (after.moneyWithoutTickets > before.moneyWithoutTickets) return 'money without tickets';
  if (after.ticketsWithoutMoney > before.ticketsWithoutMoney) return 'tickets without money';
  return undefined;
}
