import { readFileSync } from 'node:fs';
import { readDatabaseUrl } from '../config.ts';
import { type Database, openDatabase } from '../db/client.ts';
import { postgresFailure } from '../db/postgres-failures.ts';
import { fail, TicketingError } from '../errors.ts';
import { conservationLaws, limitStatements, offendersOf, tryAuditLock } from '../queries/conservation.ts';

const MAX_OFFENDERS = 20;
/** The deadline of any statement of a request; the client's own deadline is slightly longer. */
const MAX_STATEMENT_MS = 5_000;

export type Verdict = { law: string; offenders: Record<string, unknown>[] };

/**
 * Checks every conservation law against one snapshot of the database.
 * @param deadlineMs stops the audit; laws that were not reached have no verdict
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
            await limitStatements(transaction, Math.min(leftMs, MAX_STATEMENT_MS));
          }
          verdicts.push({ law: law.law, offenders: await offendersOf(transaction, law, MAX_OFFENDERS) });
        }
      },
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    )
    .catch((error: unknown) => {
      // PostgreSQL cancelled a statement at its deadline.
      if (deadlineMs === undefined || postgresFailure(error)?.kind !== 'busy') throw error;
    });
  return verdicts;
}

/** Returns the database of this checkout's running stack, or undefined. */
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
    // A broken connection fails the query, which reports it.
    onIdleError: () => {},
    // The audit reads the whole database, so its deadlines are longer than a request's.
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
    console.error('Another audit of this database is running: try again when it has finished.');
    return 2;
  } finally {
    await pool.end();
  }
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main();
