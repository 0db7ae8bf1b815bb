import { readFileSync } from 'node:fs';
import { readDatabaseUrl } from '../config.ts';
import { type Database, openDatabase } from '../db/client.ts';
import { postgresFailure } from '../db/postgres-failures.ts';
import { fail, TicketingError } from '../errors.ts';
import { conservationLaws, limitStatements, offendersOf, tryAuditLock } from '../queries/conservation.ts';

const MOST_OFFENDERS = 20;
/** As long as any statement of a request: a connection's own deadline stands a little behind. */
const LONGEST_STATEMENT_MS = 5_000;

export type Verdict = { law: string; offenders: Record<string, unknown>[] };

/**
 * Holds every law of conservation against the database, all of them against the same moment of it.
 * @param deadlineMs after which it stops; the laws that were not reached have no verdict then
 * @throws TicketingError audit-in-progress
 */
export async function audit(
  db: Pick<Database, 'transaction'>,
  { deadlineMs }: { deadlineMs?: number } = {},
): Promise<Verdict[]> {
  const begunAt = performance.now();
  const verdicts: Verdict[] = [];
  await db
    .transaction(
      async (transaction) => {
        if (!(await tryAuditLock(transaction))) fail({ kind: 'audit-in-progress' });
        for (const law of conservationLaws) {
          if (deadlineMs !== undefined) {
            const leftMs = deadlineMs - (performance.now() - begunAt);
            if (leftMs < 1) break;
            await limitStatements(transaction, Math.min(leftMs, LONGEST_STATEMENT_MS));
          }
          verdicts.push({ law: law.law, offenders: await offendersOf(transaction, law, MOST_OFFENDERS) });
        }
      },
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    )
    .catch((error: unknown) => {
      // PostgreSQL ended a statement because its time was over.
      if (deadlineMs === undefined || postgresFailure(error)?.kind !== 'busy') throw error;
    });
  return verdicts;
}

/** The database that the stack of this checkout runs on at the moment, or undefined. */
function databaseOfRunningStack(): string | undefined {
  try {
    const state = readFileSync(new URL('../../../../.data/state.json', import.meta.url), 'utf8');
    return JSON.parse(state).databaseUrl;
  } catch {
    return undefined;
  }
}

async function main() {
  const url = readDatabaseUrl() ?? databaseOfRunningStack();
  if (!url) {
    console.error('No database to audit: start the stack (npm start), or set DATABASE_URL.');
    return 2;
  }
  const { db, pool } = openDatabase({
    ...{ url, poolSize: 1, taskName: 'audit' },
    // A connection that breaks fails the query, which says so.
    onIdleError: () => {},
    // It reads the whole database, so its deadlines are longer than a request's.
    deadlines: { connectMs: 5_000, lockMs: 10_000, statementMs: 300_000, answerMs: 301_000 },
  });
  try {
    const verdicts = await audit(db);
    for (const { law, offenders } of verdicts) {
      console.log(`${offenders.length === 0 ? '✔' : '✖'} ${law}`);
      if (offenders.length > 0) console.table(offenders);
    }
    const broken = verdicts.filter(({ offenders }) => offenders.length > 0);
    console.log(broken.length === 0 ? 'The audit is clean.' : `${broken.length} laws are broken.`);
    return broken.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TicketingError && error.failure.kind === 'audit-in-progress')) throw error;
    console.error('Another audit of this database is running: try again when it has ended.');
    return 2;
  } finally {
    await pool.end();
  }
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main();
