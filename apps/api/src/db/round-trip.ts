import type { Connection, PoolClient, Submittable } from 'pg';

/** A prepared statement, planned once per connection under its name. */
export type Statement = { name: string; text: string };
export type Step = { statement: Statement; values?: (string | null)[] };

/**
 * Sends several prepared statements in one round trip (pipelining). node-postgres awaits each statement separately; on a hot
 * event that is time in which all others wait for the row lock, and most of what a task spends on a booking (measured: 0.6 ms
 * of CPU for five statements, 0.2 ms for the same five in two round trips).
 *
 * Unless `begin` is among them, the statements are one transaction: PostgreSQL commits at the end of the message or rolls all
 * of it back. Each statement has its own snapshot, so the second one sees what the first one waited for.
 * @returns for each statement the first column of its rows, as text
 */
export function inOneRoundTrip(db: PoolClient, steps: readonly Step[]): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    db.query(new RoundTrip(steps, (error, rows) => (error ? reject(error) : resolve(rows))));
  });
}

/** Formats a PostgreSQL array of numbers or UUIDs. */
export function plainArray(values: readonly (string | number | null)[]) {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** Formats a PostgreSQL array of arbitrary texts. */
export function textArray(values: readonly (string | null)[]) {
  return plainArray(values.map((value) => value && `"${value.replace(/[\\"]/g, '\\$&')}"`));
}

/** The statement names that each connection has prepared. */
const planned = new WeakMap<Connection, Set<string>>();

/**
 * The wire protocol, called by node-postgres:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
class RoundTrip implements Submittable {
  readonly #steps: readonly Step[];
  readonly #rows: string[][];
  #done = 0;
  #planned = new Set<string>();
  /** node-postgres looks for this property and wraps it with its own deadline. */
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
        // A name may have been prepared in a message that failed afterwards.
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
