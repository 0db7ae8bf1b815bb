import type { Database } from '@minitickets/api/db/client';
import { upcomingEvents } from '@minitickets/api/queries/events';
import { sql } from 'drizzle-orm';
import { defineExperiment } from '../frame/experiment.ts';
import { holdMessages } from '../frame/interleaving/barriers.ts';
import { exactly } from '../frame/results.ts';
import { openEvent } from '../frame/subjects/event-on-sale.ts';
import { statementsRun } from '../frame/subjects/statements-run.ts';
import { nPlusOne, twoQueries, withFreshTypes } from './naive.ts';
import type { ReadPage } from './page.ts';

const EVENTS = 20;
type Measure = 'statements' | 'torn' | 'torn-later';

const shippedPage: ReadPage = async (db, rows) => (await upcomingEvents(db, { limit: rows })).slice(0, rows);
const shippedRegion = { file: 'apps/api/src/queries/ticket-types.ts', region: 'one-query' };
const naive = (region: string) => ({ file: 'packages/decisions/one-query-or-n-plus-one/naive.ts', region });

export default defineExperiment<ReadPage, Measure>({
  name: 'one-query-or-n-plus-one',
  claim: 'A page of events and their ticket types is one statement: one round trip, one snapshot.',
  load: `A page of ${EVENTS} events is read. Every event is named after the price of its tickets, and an organiser changes names and prices together, in one transaction: once the first answer of the reader has arrived. Then the page is read again, with no concurrent edit.`,
  measures: {
    statements: 'statements that PostgreSQL ran for the page',
    torn: `of ${EVENTS} events, shown with a name and a price that were never true together`,
    'torn-later': 'the same, of the page that was read with no concurrent edit',
  },
  naive: {
    'n-plus-one': {
      what: 'a statement for the page, and one for each of its events',
      subject: nPlusOne,
      differences: [{ shipped: shippedRegion, instead: naive('n-plus-one') }],
      mostChangedLines: 16,
      fails: { statements: exactly(1 + EVENTS), torn: exactly(EVENTS), 'torn-later': exactly(0) },
    },
    'two-queries': {
      what: 'a statement for the page, and one for the ticket types of all its events',
      subject: twoQueries,
      differences: [{ shipped: shippedRegion, instead: naive('two-queries') }],
      mostChangedLines: 16,
      // Two round trips instead of 21, and still two snapshots.
      fails: { statements: exactly(2), torn: exactly(EVENTS), 'torn-later': exactly(0) },
    },
  },
  shipped: {
    what: 'one statement; a subquery returns the ticket types as JSON',
    subject: shippedPage,
    holds: { statements: exactly(1), torn: exactly(0), 'torn-later': exactly(0) },
  },
  mutation: {
    what: 'the ticket types are read again, so that they are fresh',
    subject: async (db, rows) => withFreshTypes(db, await shippedPage(db, rows)),
  },
  prediction: {
    question: `How many statements does PostgreSQL run for a page of ${EVENTS} events if a loop asks for the ticket types of each?`,
    arm: 'n-plus-one',
    measure: 'statements',
  },

  async run(stage, readPage) {
    const { db: organiser } = await stage.connectPostgres('organiser');
    // One connection for reads, which counts what it runs.
    const { db } = await stage.connectPostgres('task-1', 2);
    await removeEvents(organiser);
    for (let nth = 0; nth < EVENTS; nth += 1) await openEvent(organiser, { capacity: 10, people: 0 });
    await setPrices(organiser, 1_000);

    let messages = 0;
    let change: Promise<void> | undefined;
    const changePrices = () => {
      change ??= setPrices(organiser, 2_000);
      return change;
    };
    let isReading = false;
    holdMessages(db.$client, async () => {
      if (!isReading) return;
      messages += 1;
      if (messages === 2) await changePrices();
    });
    const read = async () => {
      isReading = true;
      const page = await readPage(db, EVENTS);
      isReading = false;
      const torn = page.filter(({ name, ticketTypes }) => name !== nameAt(ticketTypes[0]?.priceMinor)).length;
      if (page.length !== EVENTS) throw new Error(`the page has ${page.length} events`);
      return torn;
    };
    const [before, torn] = [await statementsRun(db), await read()];
    const statements = (await statementsRun(db)) - before;
    await changePrices();
    stage.emit({ kind: 'request', actor: 'task-1', outcome: 'served', detail: `${statements} statements` });
    stage.emit({ kind: 'level', name: 'events with a price of another version', value: torn, most: EVENTS });
    const tornLater = await read();
    stage.emit({ kind: 'request', actor: 'task-1', outcome: 'served', detail: 'no concurrent edit' });
    return { statements, torn, 'torn-later': tornLater };
  },
});

const nameAt = (priceMinor: number | undefined) => `Every seat ${priceMinor}`;

async function setPrices(db: Database, priceMinor: number) {
  await db.execute(sql`
    with renamed as (update events set name = ${nameAt(priceMinor)})
    update ticket_types set price_minor = ${priceMinor}`);
}

/** The arms share a database, and the page is the first of all events. */
async function removeEvents(db: Database) {
  await db.execute(sql`delete from ticket_types`);
  await db.execute(sql`delete from events`);
}
