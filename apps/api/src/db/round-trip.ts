import type { Connection, PoolClient, Submittable } from 'pg';

/** A statement that each connection plans once, under its name. */
export type Statement = { name: string; text: string };
export type Step = { statement: Statement; values?: (string | null)[] };

/**
 * Sends several prepared statements in one message, and waits once. node-postgres sends and awaits each statement by itself;
 * on a hot event that is time for which everybody else waits for the row's lock, and most of what a task spends on a booking
 * (measured: 0.6 ms of CPU for five statements, 0.2 ms for the same five in two messages).
 *
 * Unless `begin` is among them the statements are one transaction: PostgreSQL commits where the message ends, or rolls all of
 * it back. Each statement sees what was committed when it began, so the second one sees what the first one waited for.
 * @returns for each statement the first column of its rows, as text
 */
export function inOneRoundTrip(db: PoolClient, steps: readonly Step[]): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    db.query(new RoundTrip(steps, (error, rows) => (error ? reject(error) : resolve(rows))));
  });
}

/** A PostgreSQL array of numbers or UUIDs, as text. */
export function plainArray(values: readonly (string | number | null)[]) {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** A PostgreSQL array of any texts, as text. */
export function textArray(values: readonly (string | null)[]) {
  return plainArray(values.map((value) => value && `"${value.replace(/[\\"]/g, '\\$&')}"`));
}

/** The names that each connection has planned. */
const planned = new WeakMap<Connection, Set<string>>();

/** The protocol's part, as node-postgres calls it: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING */
class RoundTrip implements Submittable {
  readonly #steps: readonly Step[];
  readonly #rows: string[][];
  #done = 0;
  #planned = new Set<string>();
  /** By this name node-postgres finds it, and puts its own deadline in front. */
  callback: (error: Error | null, rows: string[][]) => void;

  constructor(steps: readonly Step[], callback: RoundTrip['callback']) {
    this.#steps = steps;
    this.#rows = steps.map(() => []);
    this.callback = callback;
  }

  submit(connection: Connection) {
    this.#planned = planned.get(connection) ?? new Set();
    planned.set(connection, this.#planned);
    connection.stream.cork();
    for (const { statement, values = [] } of this.#steps) {
      if (!this.#planned.has(statement.name)) {
        // A name may have been planned in a message that failed afterwards.
        connection.close({ type: 'S', name: statement.name }, true);
        connection.parse({ ...statement, types: [] }, true);
      }
      connection.bind({ statement: statement.name, values }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { fields: (string | null)[] }) {
    this.#rows[this.#done]?.push(fields[0] ?? '');
  }

  handleCommandComplete() {
    const name = this.#steps[this.#done]?.statement.name;
    if (name) this.#planned.add(name);
    this.#done += 1;
  }

  handleError(error: Error) {
    this.callback(error, this.#rows);
  }

  handleReadyForQuery() {
    this.callback(null, this.#rows);
  }
}
