/** The results of one arm in one round. `spent` is the increase of its counters. */
export type Round = { perSecond: number; latenciesMs: number[]; calls: number; spent: Record<string, number> };

export type Arm = {
  name: string;
  /** Called before each round, outside its time. */
  prepare?: () => Promise<void>;
  /** Makes one call. */
  ask: () => Promise<void>;
  /** Returns running counters, such as the number of transactions so far. */
  counters?: () => Record<string, number>;
  /** Closed-loop callers of this arm, if not those of the load. */
  callers?: number;
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
async function drive(
  { prepare, ask, counters = () => ({}), ...arm }: Arm,
  callers: number,
  forMs: number,
): Promise<Round> {
  await prepare?.();
  const latenciesMs: number[] = [];
  const before = counters();
  const begun = performance.now();
  const end = begun + forMs;
  const caller = async () => {
    while (performance.now() < end) {
      const asked = performance.now();
      await ask();
      latenciesMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: arm.callers ?? callers }, caller));
  const seconds = (performance.now() - begun) / 1000;
  const calls = latenciesMs.length;
  const spent = Object.fromEntries(Object.entries(counters()).map(([name, at]) => [name, at - (before[name] ?? 0)]));
  return { perSecond: calls / seconds, latenciesMs, calls, spent };
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

/** Prints a line per arm. @param more returns further columns of a line */
export function printArms(results: ReadonlyMap<string, Round[]>, more: (rounds: Round[]) => Record<string, unknown>) {
  console.table(
    Object.fromEntries(
      [...results].map(([name, rounds]) => {
        const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
        return [
          name,
          {
            'per second': Math.round(median(rounds.map(throughput))),
            'p50 ms': Number(percentile(latencies, 0.5).toFixed(2)),
            'p99 ms': Number(percentile(latencies, 0.99).toFixed(1)),
            ...more(rounds),
          },
        ];
      }),
    ),
  );
}

/** Returns how much of a counter one call spent, on average. */
export function perCall(rounds: Round[], counter: string) {
  const total = (of: (round: Round) => number) => rounds.reduce((sum, round) => sum + of(round), 0);
  return total(({ spent }) => spent[counter] ?? 0) / total(({ calls }) => calls);
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
