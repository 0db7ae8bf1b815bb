/** A run, second by second: what the charts of a report are drawn from. */

export type Quantiles = { p50: number | null; p95: number | null; p99: number | null };
export type Moment = Quantiles & { second: number; outcomes: Record<string, number> };

export type Series = {
  moments: Moment[];
  /** What happened when, as the script says. */
  marks: { second: number; says: string }[];
  /** Answers by the task that gave them. */
  tasks: Record<string, number>;
  calls: (Quantiles & { call: string; count: number; outcomes: Record<string, number> })[];
};
