import type { Database } from '@minitickets/api/db/client';
import { sql } from 'drizzle-orm';
import type { Connection, Pool, PoolClient } from 'pg';
import type { Lock, TakeTurn } from './race.ts';

/** What is told of a statement, by its name. `rows` is the first column of each. */
export type Telling = { what: string; result: (rows: string[]) => string };

/**
 * Has every connection that this pool will open send its statements one by one, each when it is its actor's turn. Several
 * statements of one message stay one transaction: PostgreSQL is asked to answer each, and not to end the message. Call it
 * before the first connection is opened, and before `editStatements`.
 */
export function takeTurnsByStatement(pool: Pool, takeTurn: TakeTurn, tell: Record<string, Telling>) {
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
      // Whatever PostgreSQL refuses, the request hears of it from its client.
      sendInTurns(message).catch(() => {});
    };

    async function sendInTurns(message: typeof statements) {
      const isOwnTransaction = client.getTransactionStatus() !== 'T' && message[0]?.name !== 'begin';
      try {
        for (const { name: statement, send } of message) {
          const told = tell[statement];
          if (!told) throw new Error(`nothing is told of the statement ${statement}`);
          await takeTurn({
            what: told.what,
            statement: plainly(texts.get(statement) ?? statement),
            perform: async () => told.result(await answerTo(connection, send)),
            releases: statement === 'commit',
          });
        }
      } catch {
        // PostgreSQL looks at nothing more until the message ends.
        return sync();
      }
      if (!isOwnTransaction) return sync();
      await takeTurn({
        what: 'ends its message, and with it the transaction',
        statement: 'commit -- implied: a message is one transaction',
        perform: async () => {
          await answerTo(connection, sync, 'readyForQuery');
          return 'committed';
        },
        releases: true,
      });
    }
  });
}

/** Looks at PostgreSQL's locks, as long as there are people who hold or await one of a booking. */
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

/** Whether a statement of this task waits for a lock. */
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

/** The rows that come before the end of a statement. @throws what PostgreSQL refuses */
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

/** Without the indentation that it has in its file. */
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
