/** The results of one arm in one round. */
export type Round = { perSecond: number; latenciesMs: number[]; bookings: number; commits?: number };

export type Arm = {
  name: string;
  /** Books once. */
  ask: () => Promise<void>;
  /** Returns the number of transactions so far, where they can be counted. */
  commits?: () => number;
};

type Load = { callers: number; forMs: number; rounds: number };

/** Runs the arms alternately in rounds, so that background load affects all of them. The first round is a warm-up. */
export async function interleave(arms: Arm[], { callers, forMs, rounds }: Load) {
  const results = new Map<string, Round[]>(arms.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    // Each round starts with a different arm, so that no arm always follows the slow one.
    for (const arm of [...arms.slice(round % arms.length), ...arms.slice(0, round % arms.length)]) {
      const result = await drive(arm, callers, round === 0 ? forMs / 4 : forMs);
      if (round > 0) results.get(arm.name)?.push(result);
    }
  }
  return results;
}

/** Closed-loop callers: each sends its next request as soon as it gets a response. */
async function drive({ ask, commits }: Arm, callers: number, forMs: number): Promise<Round> {
  const latenciesMs: number[] = [];
  const committedBefore = commits?.() ?? 0;
  const begun = performance.now();
  const end = begun + forMs;
  const caller = async () => {
    while (performance.now() < end) {
      const asked = performance.now();
      await ask();
      latenciesMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - begun) / 1000;
  const bookings = latenciesMs.length;
  const round = { perSecond: bookings / seconds, latenciesMs, bookings };
  return commits ? { ...round, commits: commits() - committedBefore } : round;
}

export function median(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: number[], share: number) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the ratio of two arms in each round; on a noisy machine its median is steadier than the ratio of medians. */
export function ratios(of: Round[], to: Round[], measure: (round: Round) => number) {
  return of.map((round, index) => measure(round) / measure(to[index] as Round));
}

export const throughput = ({ perSecond }: Round) => perSecond;
export const medianLatency = ({ latenciesMs }: Round) => median(latenciesMs);

/** Prints a line per arm. */
export function printArms(results: ReadonlyMap<string, Round[]>) {
  console.table(
    Object.fromEntries(
      [...results].map(([name, rounds]) => {
        const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
        const commits = rounds.reduce((sum, round) => sum + (round.commits ?? 0), 0);
        const bookings = rounds.reduce((sum, round) => sum + round.bookings, 0);
        return [
          name,
          {
            'per second': Math.round(median(rounds.map(throughput))),
            'p50 ms': Number(percentile(latencies, 0.5).toFixed(2)),
            'p99 ms': Number(percentile(latencies, 0.99).toFixed(1)),
            ...(commits > 0 && { 'bookings per commit': Number((bookings / commits).toFixed(1)) }),
          },
        ];
      }),
    ),
  );
}

export type Target = { what: string; ratio: number[]; atLeast?: number; atMost?: number };

/** Prints a target and its measured value. @returns whether the target was reached */
export function judge({ what, ratio, atLeast, atMost }: Target) {
  const middle = median(ratio);
  const reached = middle >= (atLeast ?? 0) && middle <= (atMost ?? Number.POSITIVE_INFINITY);
  const range = `${Math.min(...ratio).toFixed(2)} to ${Math.max(...ratio).toFixed(2)}`;
  const wanted = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  console.log(`${reached ? '✔' : '✖'} ${what}: ${middle.toFixed(2)} (${range}), target ${wanted}`);
  return reached;
}
