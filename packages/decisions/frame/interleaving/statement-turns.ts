import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';
import type { Connection, Pool, PoolClient } from 'pg';
import type { Lock, TakeTurn } from './race.ts';

/** How to describe a prepared statement. `rows` has the first column of each row. */
export type Description = { what: string; result: (rows: string[]) => string };

/**
 * Makes every future connection of this pool send its statements one by one, each in its actor's turn. The statements of one
 * message stay one transaction: each is flushed without a sync. Must be called before the first connection is opened and before
 * `editStatements`.
 */
export function takeTurnsByStatement(pool: Pool, takeTurn: TakeTurn, descriptions: Record<string, Description>) {
  pool.on('connect', (client: PoolClient) => {
    const { connection } = client as PoolClient & { connection: Connection };
    const texts = new Map<string, string>();
    let sends: (() => void)[] = [];
    let name = '';
    let statements: { name: string; send: () => void }[] = [];
    const later =
      <Values extends unknown[]>(send: (...values: Values) => void, note?: (...values: Values) => void) =>
      (...values: Values) => {
        note?.(...values);
        sends.push(() => send(...values));
      };
    const { close, parse, bind, execute, sync } = boundTo(connection);
    connection.close = later(close);
    connection.parse = later(parse, (query) => texts.set(query.name, query.text));
    connection.bind = later(bind, (config) => {
      name = config?.statement ?? '';
    });
    connection.execute = (...values) => {
      const all = [...sends, () => execute(...values)];
      sends = [];
      statements.push({
        name,
        send: () => {
          for (const send of all) send();
          connection.flush();
        },
      });
    };
    connection.sync = () => {
      const message = statements;
      statements = [];
      // The request gets PostgreSQL's error from its client.
      sendInTurns(message).catch(() => {});
    };

    async function sendInTurns(message: typeof statements) {
      const isOwnTransaction = client.getTransactionStatus() !== 'T' && message[0]?.name !== 'begin';
      try {
        for (const { name: statement, send } of message) {
          const description = descriptions[statement];
          if (!description) throw new Error(`the statement ${statement} has no description`);
          await takeTurn({
            what: description.what,
            statement: plainly(texts.get(statement) ?? statement),
            perform: async () => description.result(await answerTo(connection, send)),
            releases: statement === 'commit',
          });
        }
      } catch {
        // After an error PostgreSQL ignores everything until the sync.
        return sync();
      }
      if (!isOwnTransaction) return sync();
      await takeTurn({
        what: 'ends the message, which commits',
        statement: 'commit -- implicit: a message is one transaction',
        perform: async () => {
          await answerTo(connection, sync, 'readyForQuery');
          return 'committed';
        },
        releases: true,
      });
    }
  });
}

/** Reads the locks that the tasks hold or wait for. */
export async function readLocks(db: Database, actorOf: (taskName: string) => string): Promise<Lock[]> {
  const { rows } = await db.execute<Omit<Lock, 'actor'> & { task: string }>(sql`
    select distinct application_name as task, replace(locktype, 'transactionid', 'transaction') as kind, mode,
      relation::regclass::text as on, granted
    from pg_locks join pg_stat_activity using (pid)
    where datname = current_database() and application_name like 'minitickets task-%'
      and (not granted or locktype = 'tuple' or relation in ('events'::regclass, 'ticket_types'::regclass)
        and mode in ('RowShareLock', 'RowExclusiveLock'))
    order by task, granted desc, kind, "on", mode`);
  return rows.map(({ task, ...lock }) => ({ actor: actorOf(task.replace('minitickets ', '')), ...lock }));
}

/** Tells whether a statement of this task waits for a lock. */
export async function waitsForLock(db: Database, taskName: string) {
  const { rows } = await db.execute(sql`
    select from pg_stat_activity where datname = current_database()
      and application_name = ${`minitickets ${taskName}`} and wait_event_type = 'Lock'`);
  return rows.length > 0;
}

function boundTo(connection: Connection) {
  return {
    close: connection.close.bind(connection),
    parse: connection.parse.bind(connection),
    bind: connection.bind.bind(connection),
    execute: connection.execute.bind(connection),
    sync: connection.sync.bind(connection),
  };
}

type Answered = 'commandComplete' | 'readyForQuery';

/** Returns the rows of one statement. @throws PostgreSQL's error */
function answerTo(connection: Connection, send: () => void, end: Answered = 'commandComplete') {
  return new Promise<string[]>((resolve, reject) => {
    const rows: string[] = [];
    const onRow = ({ fields }: { fields: (string | null)[] }) => rows.push(fields[0] ?? '');
    const onEnd = () => finish(() => resolve(rows));
    const onError = ({ message }: Error) => finish(() => reject(new Error(message)));
    const finish = (settle: () => void) => {
      connection.off('dataRow', onRow).off(end, onEnd).off('errorMessage', onError);
      settle();
    };
    connection.on('dataRow', onRow).on(end, onEnd).on('errorMessage', onError);
    send();
  });
}

/** Removes the indentation that a statement has in its file. */
function plainly(text: string) {
  const lines = text
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n');
  const indentation = Math.min(
    ...lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length),
  );
  return lines.map((line) => line.slice(indentation)).join('\n');
}
