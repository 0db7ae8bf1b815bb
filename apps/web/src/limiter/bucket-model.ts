import type { BucketReading, Observation } from './observe.ts';

/** A range of token counts that agrees with all observations. */
export interface Span {
  min: number;
  max: number;
}

/** A response that contradicts the model. */
export interface Mismatch {
  kind: 'less' | 'more';
  /** By `performance.now()`. */
  at: number;
  expected: Span;
  reported: Span;
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
  /** False once the request is known to have taken no tokens. */
  mayHaveTaken: boolean;
  served: boolean;
}

const keptSampleMs = 45_000;
const maxRequests = 400;
/** Allows for the rounding of reported microseconds, generously. */
const tolerance = 0.02;

/**
 * Models the bucket from the API's responses, to draw it between responses and to check each further response.
 * Redis decides at an unknown instant between sending and receiving, and requests overtake each other, so the model
 * computes a range. A response outside it means that another client spends from the bucket, or that the limiter is wrong.
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

  function tokensAt(at: number): number | undefined {
    if (!limit || !shown) return undefined;
    return Math.min(limit.capacity, shown.tokens + limit.refillPerMs * Math.max(0, at - shown.receivedAt));
  }

  /** Returns when the bucket is full again. */
  const fullAt = () =>
    limit && shown ? shown.receivedAt + (limit.capacity - shown.tokens) / limit.refillPerMs : undefined;

  function updateLimit(reading: BucketReading): void {
    const changed =
      limit !== undefined &&
      (limit.capacity !== reading.capacity ||
        (limit.exact && reading.exact && Math.abs(limit.refillPerMs / reading.refillPerMs - 1) > 0.01));
    if (changed) known = [];
    // A rate derived from rounded seconds never replaces an exact one of the same limit.
    if (changed || !limit?.exact || reading.exact) limit = reading;
  }

  /** Returns what the bucket can have held right after a request, based on the last count that is certainly older. */
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
    const maxRefilled = base.tokens + refillPerMs * (receivedAt - base.sentAt);
    const minRefilled = Math.min(capacity, base.tokens + refillPerMs * Math.max(0, sentAt - base.receivedAt));
    return {
      min: Math.max(0, minRefilled - possible - costs),
      max: Math.min(capacity - costs, maxRefilled - certain - costs),
    };
  }

  /** Returns what a response says about the bucket after the request: an exact count, or less than the cost. */
  function reportedBy({ outcome, bucket }: Observation, cost: number): Span | undefined {
    const tokens = countIn(bucket);
    if (outcome === 'served' && tokens !== undefined) return { min: tokens, max: tokens };
    return outcome === 'throttled' && isPossible(cost) ? { min: 0, max: cost } : undefined;
  }

  /** A cost above the capacity is refused whatever the bucket holds. */
  const isPossible = (cost: number) => limit === undefined || cost <= limit.capacity;

  function countIn(reading: BucketReading | undefined): number | undefined {
    if (!limit || reading?.fullMs === undefined) return undefined;
    return Math.max(0, limit.capacity - reading.fullMs * limit.refillPerMs);
  }

  function check(observation: Observation, own: Request): void {
    const { outcome } = observation;
    const reported = reportedBy(observation, own.cost);
    if (!reported) return;
    const expected = expectedAt(observation, own, outcome === 'served' ? own.cost : 0);
    if (!expected) return;
    checked += 1;
    const less = reported.max < expected.min - tolerance;
    const more = reported.min > expected.max + tolerance;
    if (less || more) {
      mismatches = [
        ...mismatches.slice(-19),
        { kind: less ? 'less' : 'more', at: observation.receivedAt, expected, reported },
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
      return { checked, mismatches };
    },

    /** Records that a request of this cost was sent. Returns the callback for its response. */
    sending(sentAt: number, cost = 1): (observation: Observation) => void {
      const own: Request = { cost, sentAt, receivedAt: Number.POSITIVE_INFINITY, mayHaveTaken: true, served: false };
      requests = [...requests.slice(-maxRequests), own];
      return (observation) => {
        const { outcome, bucket, receivedAt } = observation;
        own.receivedAt = receivedAt;
        own.served = outcome === 'served';
        own.mayHaveTaken = outcome === 'served' || outcome === 'unanswered';
        if (!bucket) return;
        updateLimit(bucket);
        check(observation, own);
        const counted = countIn(bucket);
        if (counted !== undefined) {
          const found = { tokens: counted, sentAt, receivedAt };
          if (limit?.exact) known = [...known.slice(-maxRequests), found];
          // Of responses that overtook each other, the one with the fewest tokens is the newest.
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
