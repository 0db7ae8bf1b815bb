/** What all tasks decided, summed over the policies. */
export interface Totals {
  allowed: number;
  throttled: number;
  suppressed: number;
}

/** Decisions per second over the span that ended at `at`. */
export interface Rates extends Totals {
  at: number;
}

const kinds = ['allowed', 'throttled', 'suppressed'] as const;
const keptPoints = 150;

/**
 * Turns counts that begin anew with every minute into rates. The API counts by the minute, so what was counted since the
 * last reading is a difference within a minute, and across its end what the minute before still got plus the new one.
 */
export function createActivityHistory() {
  let points: Rates[] = [];
  let last: { at: number; minute: number; running: Totals } | undefined;
  return {
    get points(): readonly Rates[] {
      return points;
    },
    /**
     * @param at in ms
     * @param minute the number of the running minute
     * @param running the counts of the running minute
     * @param both those of the running minute and the one before
     */
    add(at: number, minute: number, running: Totals, both: Totals): void {
      const before = last;
      last = { at, minute, running };
      if (!before || at <= before.at) return;
      const seconds = (at - before.at) / 1000;
      const rate = (kind: keyof Totals) => {
        if (minute - before.minute > 1) return 0;
        const since = (minute === before.minute ? running : both)[kind] - before.running[kind];
        return Math.max(0, since) / seconds;
      };
      const [allowed, throttled, suppressed] = kinds.map(rate) as [number, number, number];
      points = [...points.slice(1 - keptPoints), { at, allowed, throttled, suppressed }];
    },
  };
}

export type ActivityHistory = ReturnType<typeof createActivityHistory>;
