import type { BucketReading, Observation } from './observe.ts';

/** A span of token counts that would agree with everything known. */
export interface Span {
  least: number;
  most: number;
}

/** An answer that said something else than this page computed. */
export interface Mismatch {
  kind: 'less' | 'more';
  /** When, by `performance.now()`. */
  at: number;
  expected: Span;
  said: Span;
}

export type Sample = readonly [at: number, tokens: number];

interface Known {
  tokens: number;
  sentAt: number;
  receivedAt: number;
}

interface Request {
  /** In tokens. */
  cost: number;
  sentAt: number;
  receivedAt: number;
  /** False once it is certain that it took nothing. */
  mayHaveTaken: boolean;
  served: boolean;
}

const keptSampleMs = 45_000;
const maxRequests = 400;
/** Rounding of what is told in microseconds, with room to spare. */
const tolerance = 0.02;

/**
 * The bucket as this page computes it from the answers, to be drawn between them and to check each next answer against.
 * When Redis decided is only known to lie between sending and receiving, and requests overtake each other, so a computed
 * count is a span. An answer outside it means that somebody else spends from the bucket, or that the limiter is wrong.
 */
export function createBucketModel() {
  let limit: BucketReading | undefined;
  let shown: Known | undefined;
  let samples: Sample[] = [];
  let requests: Request[] = [];
  /** Exact counts, oldest first, to check later answers against. */
  let known: Known[] = [];
  let checked = 0;
  let mismatches: Mismatch[] = [];
  let limitChanges = 0;

  function tokensAt(at: number): number | undefined {
    if (!limit || !shown) return undefined;
    return Math.min(limit.capacity, shown.tokens + limit.refillPerMs * Math.max(0, at - shown.receivedAt));
  }

  /** When the bucket as shown is full again. */
  const fullAt = () =>
    limit && shown ? shown.receivedAt + (limit.capacity - shown.tokens) / limit.refillPerMs : undefined;

  function take(reading: BucketReading): void {
    const changed =
      limit !== undefined &&
      (limit.capacity !== reading.capacity ||
        (limit.exact && reading.exact && Math.abs(limit.refillPerMs / reading.refillPerMs - 1) > 0.01));
    if (changed) {
      limitChanges += 1;
      known = [];
    }
    // A rate from rounded seconds never replaces an exact one of the same limit.
    if (changed || !limit?.exact || reading.exact) limit = reading;
  }

  /** What the bucket can have held right after a request, by the last count that is certainly older. */
  function expectedAt({ sentAt, receivedAt }: Observation, own: Request, costs: number): Span | undefined {
    const base = known.findLast((one) => one.receivedAt <= sentAt);
    if (!base || !limit?.exact) return undefined;
    let certain = 0;
    let possible = 0;
    for (const one of requests) {
      if (one === own) continue;
      const before = one.receivedAt <= base.sentAt || one.sentAt === base.sentAt;
      if (before || one.sentAt >= receivedAt) continue;
      if (one.served && one.sentAt >= base.receivedAt && one.receivedAt <= sentAt) certain += one.cost;
      if (one.mayHaveTaken) possible += one.cost;
    }
    const { capacity, refillPerMs } = limit;
    const refilledMost = base.tokens + refillPerMs * (receivedAt - base.sentAt);
    const refilledLeast = Math.min(capacity, base.tokens + refillPerMs * Math.max(0, sentAt - base.receivedAt));
    return {
      least: Math.max(0, refilledLeast - possible - costs),
      most: Math.min(capacity - costs, refilledMost - certain - costs),
    };
  }

  /** What an answer says that the bucket held after it: one count, or that there was less than it costs. */
  function saidBy({ outcome, bucket }: Observation, cost: number): Span | undefined {
    const tokens = countIn(bucket);
    if (outcome === 'served' && tokens !== undefined) return { least: tokens, most: tokens };
    return outcome === 'throttled' && isPossible(cost) ? { least: 0, most: cost } : undefined;
  }

  /** What costs more than the bucket can hold is refused whatever it holds. */
  const isPossible = (cost: number) => limit === undefined || cost <= limit.capacity;

  function countIn(reading: BucketReading | undefined): number | undefined {
    if (!limit || reading?.fullMs === undefined) return undefined;
    return Math.max(0, limit.capacity - reading.fullMs * limit.refillPerMs);
  }

  function check(observation: Observation, own: Request): void {
    const { outcome } = observation;
    const said = saidBy(observation, own.cost);
    if (!said) return;
    const expected = expectedAt(observation, own, outcome === 'served' ? own.cost : 0);
    if (!expected) return;
    checked += 1;
    const less = said.most < expected.least - tolerance;
    const more = said.least > expected.most + tolerance;
    if (less || more) {
      mismatches = [
        ...mismatches.slice(-19),
        { kind: less ? 'less' : 'more', at: observation.receivedAt, expected, said },
      ];
    }
  }

  function show(at: number, tokens: number): void {
    const before = tokensAt(at);
    const full = fullAt();
    const lastAt = samples.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
    if (full !== undefined && limit && full > lastAt && full < at) samples.push([full, limit.capacity]);
    if (before !== undefined) samples.push([at, before]);
    samples.push([at, tokens]);
    const oldest = at - keptSampleMs;
    if ((samples[0]?.[0] ?? at) < oldest) samples = samples.filter(([when]) => when >= oldest);
  }

  return {
    tokensAt,
    fullAt,
    get limit() {
      return limit;
    },
    get samples(): readonly Sample[] {
      return samples;
    },
    get report() {
      return { checked, mismatches, limitChanges };
    },

    /** A request of this cost is on its way. Returns what is to be called with its answer. */
    sending(sentAt: number, cost = 1): (observation: Observation) => void {
      const own: Request = { cost, sentAt, receivedAt: Number.POSITIVE_INFINITY, mayHaveTaken: true, served: false };
      requests = [...requests.slice(-maxRequests), own];
      return (observation) => {
        const { outcome, bucket, receivedAt } = observation;
        own.receivedAt = receivedAt;
        own.served = outcome === 'served';
        own.mayHaveTaken = outcome === 'served' || outcome === 'unanswered';
        if (!bucket) return;
        take(bucket);
        check(observation, own);
        const counted = countIn(bucket);
        if (counted !== undefined) {
          const found = { tokens: counted, sentAt, receivedAt };
          if (limit?.exact) known = [...known.slice(-maxRequests), found];
          // Of answers that overtook each other, the one with the least left is the newest.
          const certainlyNewer = !shown || sentAt >= shown.receivedAt;
          if (certainlyNewer || found.tokens < (tokensAt(receivedAt) ?? 0)) {
            show(receivedAt, found.tokens);
            shown = found;
          }
        } else if (outcome === 'throttled' && isPossible(cost) && (tokensAt(receivedAt) ?? cost) >= cost) {
          const tokens = cost - 0.01;
          show(receivedAt, tokens);
          shown = { tokens, sentAt, receivedAt };
        }
      };
    },
  };
}

export type BucketModel = ReturnType<typeof createBucketModel>;
