import { type LimitChange, limitChange, type PolicyName } from '@minitickets/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policies } from '../rules/limits.ts';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

/**
 * A reference model of the limiter in exact arithmetic, written from its laws and not from its script: tokens are fractions
 * of BigInts, nothing expires, and every promised slot is an instant.
 */
class Model {
  /** Undefined until a call changes the state. */
  #state: State | undefined;
  /** Whole tokens after the last call. */
  remaining = 0;

  readonly horizonUs: bigint;

  constructor(horizonUs: bigint) {
    this.horizonUs = horizonUs;
  }

  take(cost: number, limit: LimitChange, revision: number, now: number) {
    const nowUs = BigInt(now);
    const known = this.#state;
    const { state, changed } = known
      ? settle(known, limit, revision, nowUs)
      : { state: fresh(limit, revision, nowUs), changed: false };
    const verdict = this.#judge(state, cost, limit.suppression, nowUs);
    this.remaining = Number(floor(state.tokens));
    const remembers =
      verdict.kind === 'served' || verdict.kind === 'empty' || verdict.begins || changed || verdict.shortened;
    if (remembers) this.#state = state;
    return verdict;
  }

  #judge(state: State, cost: number, ban: LimitChange['suppression'], nowUs: bigint): Verdict {
    const { rate } = state;
    const longestUs = ban && state.bans > 0 ? banUs(ban, state.bans) : 0n;
    const shortened = state.bannedUntilUs > nowUs + longestUs;
    if (shortened) state.bannedUntilUs = nowUs + longestUs;
    const remembered = greater(nowUs, state.bannedUntilUs) + BigInt(ban?.forgetAfterMs ?? 0) * 1000n;
    state.forgottenAtUs = lesser(state.forgottenAtUs, remembered);
    if (!ban || nowUs >= state.forgottenAtUs) [state.bans, state.bannedUntilUs, state.forgottenAtUs] = [0, 0n, 0n];

    if (cost > rate.capacity) return { kind: 'impossible', shortened };
    const lacking = sum(whole(cost), negative(state.tokens));
    const tokensAfterUs = greater(0n, ceiling(product(lacking, partsOf(rate)), BigInt(rate.refillTokens)));
    if (state.bannedUntilUs > nowUs) {
      return { kind: 'suppressed', waitUs: greater(tokensAfterUs, state.bannedUntilUs - nowUs), shortened };
    }
    if (tokensAfterUs === 0n) {
      state.tokens = sum(state.tokens, whole(-cost));
      return { kind: 'served' };
    }
    // The next free slot, behind the line if there is one, and at most as far ahead as slots are promised.
    const emission = fraction(partsOf(rate), BigInt(rate.refillTokens));
    const strikes = ban?.strikes ?? 0;
    if (state.lineEndUs <= nowUs) {
      [state.lineEndUs, state.exemptEndUs, state.lineBeganUs] = [nowUs + tokensAfterUs, nowUs, nowUs];
    } else {
      const behind = state.lineEndUs + ceiling(product(emission, BigInt(cost)), 1n);
      const furthest = greater(tokensAfterUs, this.horizonUs + ceiling(product(emission, BigInt(strikes)), 1n));
      state.lineEndUs = lesser(greater(nowUs + tokensAfterUs, behind), nowUs + furthest);
    }
    if (nowUs - state.lineBeganUs < 5_000_000n) state.exemptEndUs = lesser(state.lineEndUs, nowUs + this.horizonUs);
    const waiting = fraction(state.lineEndUs - greater(nowUs, state.exemptEndUs), 1n);
    if (ban && !atLeast(product(emission, BigInt(strikes - 1)), waiting)) {
      state.bans += 1;
      state.bannedUntilUs = nowUs + banUs(ban, state.bans);
      state.forgottenAtUs = state.bannedUntilUs + BigInt(ban.forgetAfterMs) * 1000n;
      state.lineEndUs = 0n;
      return { kind: 'suppressed', waitUs: greater(tokensAfterUs, state.bannedUntilUs - nowUs), begins: true };
    }
    return { kind: 'empty', waitUs: state.lineEndUs - nowUs };
  }
}

type Verdict = {
  kind: 'served' | 'empty' | 'suppressed' | 'impossible';
  waitUs?: bigint;
  begins?: boolean;
  /** The call shortened a running ban. */
  shortened?: boolean;
};
type State = ReturnType<typeof fresh>;

const fresh = (limit: LimitChange, revision: number, atUs: bigint) => ({
  rate: numbersOf(limit),
  revision,
  tokens: whole(limit.capacity),
  atUs,
  /** The highest burst ever granted; no change grants it again until it has refilled. */
  highest: limit.capacity,
  lineEndUs: 0n,
  exemptEndUs: 0n,
  lineBeganUs: 0n,
  bans: 0,
  bannedUntilUs: 0n,
  forgottenAtUs: 0n,
});

const numbersOf = ({ capacity, refillTokens, refillIntervalMs }: LimitChange) => ({
  capacity,
  refillTokens,
  refillIntervalMs,
});

function settle(known: State, limit: LimitChange, revision: number, nowUs: bigint) {
  const setBack = nowUs < known.atUs;
  const elapsedUs = setBack ? 0n : nowUs - known.atUs;
  const all = sum(known.tokens, fraction(elapsedUs * BigInt(known.rate.refillTokens), partsOf(known.rate)));
  const tokens = least(all, whole(known.rate.capacity));
  const granted = atLeast(all, whole(known.highest)) ? known.rate.capacity : known.highest;
  const lineEndUs = setBack ? 0n : known.lineEndUs;
  const state = { ...known, tokens, atUs: nowUs, highest: granted, lineEndUs };
  if (revision < known.revision) return { state, changed: setBack };
  state.revision = revision;
  const rate = numbersOf(limit);
  if (JSON.stringify(rate) === JSON.stringify(known.rate)) return { state, changed: setBack };
  const added = Math.max(0, limit.capacity - granted);
  // The only rounding: another interval counts in parts of another size.
  const kept = fraction(floor(product(tokens, partsOf(rate))), partsOf(rate));
  state.rate = rate;
  state.highest = Math.max(granted, limit.capacity);
  state.tokens = least(sum(kept, whole(added)), whole(limit.capacity));
  state.lineEndUs = 0n;
  return { state, changed: true };
}

type Fraction = { over: bigint; under: bigint };
const fraction = (over: bigint, under: bigint): Fraction => ({ over, under });
const whole = (count: number) => fraction(BigInt(count), 1n);
const sum = (a: Fraction, b: Fraction) => fraction(a.over * b.under + b.over * a.under, a.under * b.under);
const product = (a: Fraction, factor: bigint) => fraction(a.over * factor, a.under);
const atLeast = (a: Fraction, b: Fraction) => a.over * b.under >= b.over * a.under;
const least = (a: Fraction, b: Fraction) => (atLeast(a, b) ? b : a);
const negative = (a: Fraction) => fraction(-a.over, a.under);
const lesser = (a: bigint, b: bigint) => (a < b ? a : b);
const greater = (a: bigint, b: bigint) => (a > b ? a : b);
const floor = ({ over, under }: Fraction) => over / under;
/** The fraction over a divisor, rounded up. For a negative fraction only its sign matters here. */
const ceiling = ({ over, under }: Fraction, divisor: bigint) => (over + under * divisor - 1n) / (under * divisor);
const partsOf = ({ refillIntervalMs }: Pick<LimitChange, 'refillIntervalMs'>) => BigInt(refillIntervalMs) * 1000n;
const banUs = ({ firstBanMs, growth, longestBanMs }: NonNullable<LimitChange['suppression']>, bans: number) => {
  const grown = BigInt(firstBanMs) * BigInt(growth) ** BigInt(bans - 1);
  return lesser(grown, BigInt(longestBanMs)) * 1000n;
};

const count = (max: number) => fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max }));
const suppression = fc.record({
  strikes: fc.integer({ min: 1, max: 4 }),
  firstBanMs: fc.integer({ min: 1, max: 5000 }),
  growth: fc.integer({ min: 1, max: 3 }),
  longestBanMs: fc.integer({ min: 5000, max: 20_000 }),
  forgetAfterMs: fc.integer({ min: 1, max: 60_000 }),
});
const limit = fc
  .record({
    capacity: count(1_000_000),
    refillTokens: count(1_000_000),
    refillIntervalMs: count(86_400_000),
    suppression: fc.option(suppression),
  })
  .map((numbers): LimitChange => ({ ...numbers, onStoreFailure: 'closed', shadow: false }))
  .filter((change) => limitChange.safeParse(change).success);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('take' as const), share: fc.double({ min: 0, max: 1.2, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take-all' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), us: count(10_000_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait-as-told' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clock-back' as const), us: count(100_000_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), limit, stale: fc.boolean() }) },
);

/** Slots are promised nowhere beyond the strikes, ten seconds ahead, or an hour ahead. */
const policy = fc.constantFrom<PolicyName>('playground', 'reads', 'login');
const BEGIN_US = 1_700_000_000_000_000;

onEachStore((store) => {
  test('for any sequence of calls and changes, the script decides exactly as the model', {
    timeout: 120_000,
  }, async () => {
    const calls = fc.array(step, { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(policy, limit, calls, async (name, first, steps) => {
      store.clock.nowUs = BEGIN_US;
      const bucket = bucketWith(store, first, name);
      const model = new Model(BigInt(policies[name].promiseHorizonMs) * 1000n);
      let [inUse, revision, toldUs] = [first, 0, 0];
      const takeAndCompare = async (cost: number) => {
        const decision = await bucket.take(cost);
        const verdict = model.take(cost, inUse, revision, store.clock.nowUs);
        expect(decision.allowed ? 'served' : decision.reason).toBe(verdict.kind);
        expect(decision.remaining).toBe(model.remaining);
        if (decision.allowed || decision.reason === 'impossible') return;
        expect(BigInt(decision.retryAfterMs)).toBe(((verdict.waitUs as bigint) + 999n) / 1000n);
        toldUs = decision.retryAfterMs * 1000;
      };
      for (const next of steps) {
        if (next.kind === 'wait') store.clock.nowUs += next.us;
        else if (next.kind === 'clock-back') store.clock.nowUs -= next.us;
        else if (next.kind === 'take') await takeAndCompare(Math.max(1, Math.round(next.share * inUse.capacity)));
        else if (next.kind === 'take-all') await takeAndCompare(inUse.capacity);
        else if (next.kind === 'wait-as-told') {
          store.clock.nowUs += toldUs;
          toldUs = 0;
        } else {
          inUse = next.limit;
          revision = next.stale ? Math.max(0, revision - 1) : revision + 1;
          bucket.changeTo(inUse, revision);
        }
      }
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test('a client that waits for Retry-After is served, whatever the limit and the cost', {
    timeout: 120_000,
  }, async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.asyncProperty(limit, share, share, async (change, spentShare, costShare) => {
      store.clock.nowUs = BEGIN_US;
      const { take } = bucketWith(store, { ...change, suppression: null });
      const costOf = (part: number) => Math.max(1, Math.round(part * change.capacity));
      await take(costOf(spentShare));
      const refused = await take(costOf(costShare));
      if (refused.allowed) return;
      store.clock.nowUs += (refused.retryAfterMs as number) * 1000;
      expect((await take(costOf(costShare))).allowed).toBe(true);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test('clients refused at the same instant are each served at their promised slot, whatever their costs', {
    timeout: 120_000,
  }, async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const crowd = fc.array(share, { minLength: 2, maxLength: 12 });
    // The bucket holds what flows back while a client is up to a millisecond late, and the line stays below login's hour.
    const rate = fc.record({
      capacity: fc.integer({ min: 4, max: 1_000_000 }),
      refillShare: share,
      refillIntervalMs: fc.integer({ min: 1, max: 1000 }),
    });
    const property = fc.asyncProperty(rate, crowd, async ({ refillShare, ...change }, shares) => {
      store.clock.nowUs = BEGIN_US;
      const [least, most] = [Math.ceil(change.capacity / 500), Math.floor(change.capacity / 2)];
      const refillTokens = Math.round(least + refillShare * (most - least));
      const { take } = bucketWith(store, { ...change, refillTokens }, 'login');
      await take(change.capacity);
      const promised = [];
      for (const part of shares) {
        const cost = Math.max(1, Math.round((part * change.capacity) / 2));
        const { retryAfterMs } = (await take(cost)) as { retryAfterMs: number };
        promised.push({ cost, atUs: store.clock.nowUs + retryAfterMs * 1000 });
      }
      for (const { cost, atUs } of promised) {
        store.clock.nowUs = atUs;
        expect((await take(cost)).allowed).toBe(true);
      }
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
