import { type LimitChange, limitChange } from '@minitickets/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketWith, onEachStore } from '../testing/limiter-stores.ts';

/**
 * The limiter in exact arithmetic, written from its laws and not from its script: tokens are fractions of two BigInts,
 * nothing expires, and a limit is what the last call came with.
 */
class Model {
  /** Undefined before the first served call: nothing is known of the identity. */
  #bucket: ReturnType<typeof fresh> | undefined;
  #strikes = 0;
  #bans = 0;
  #bannedUntilUs = 0n;
  #forgottenAtUs = 0n;
  /** Whole tokens after the last call. */
  remaining = 0;

  take(cost: number, limit: LimitChange, revision: number, now: number) {
    const nowUs = BigInt(now);
    const known = this.#bucket;
    const bucket = known ? settle(known, limit, revision, nowUs) : fresh(limit, revision, nowUs);
    const longestMs = limit.suppression ? limit.suppression.longestBanMs + limit.suppression.forgetAfterMs : 0;
    this.#forgottenAtUs = lesser(this.#forgottenAtUs, nowUs + BigInt(longestMs) * 1000n);
    if (nowUs >= this.#forgottenAtUs) [this.#strikes, this.#bans, this.#bannedUntilUs] = [0, 0, 0n];
    const verdict = this.#judge(bucket.tokens, bucket.limit.capacity, cost, limit.suppression, nowUs);
    if (verdict === 'served') bucket.tokens = sum(bucket.tokens, whole(-cost));
    this.remaining = Number(floor(bucket.tokens));
    // A refused call leaves the bucket as it is, unless there is something to remember: a strike, a change, the clock.
    const changed = bucket.limit !== known?.limit || bucket.doubtedSinceUs !== known.doubtedSinceUs;
    const remembers = known && (verdict === 'struck' || changed || nowUs < known.atUs);
    if (verdict === 'served' || remembers) this.#bucket = bucket;
    if (verdict !== 'struck') return verdict;
    return this.#bannedUntilUs > nowUs ? 'suppressed' : 'empty';
  }

  #judge(tokens: Fraction, capacity: number, cost: number, ban: LimitChange['suppression'], nowUs: bigint) {
    if (cost > capacity) return 'impossible';
    if (ban && this.#bannedUntilUs > nowUs) {
      const longest = nowUs + banUs(ban, this.#bans);
      if (this.#bannedUntilUs <= longest) return 'suppressed';
      this.#bannedUntilUs = longest;
      return 'struck';
    }
    if (atLeast(tokens, whole(cost))) {
      this.#strikes = Math.max(0, this.#strikes - 1);
      return 'served';
    }
    if (!ban) return 'empty';
    this.#strikes += 1;
    if (this.#strikes >= ban.strikes) {
      this.#strikes = 0;
      this.#bans += 1;
      this.#bannedUntilUs = nowUs + banUs(ban, this.#bans);
    }
    const troubleUntilUs = this.#bannedUntilUs > nowUs ? this.#bannedUntilUs : nowUs;
    this.#forgottenAtUs = troubleUntilUs + BigInt(ban.forgetAfterMs) * 1000n;
    return 'struck';
  }
}

const fresh = (limit: LimitChange, revision: number, atUs: bigint) => ({
  limit,
  revision,
  tokens: whole(limit.capacity),
  atUs,
  /** Of what capacity it was ever given the tokens; no change gives them again before they have flowed back. */
  highest: limit.capacity,
  /** Since when all callers had an older revision; 0 if they have not. */
  doubtedSinceUs: 0n,
});

function settle(known: ReturnType<typeof fresh>, limit: LimitChange, revision: number, nowUs: bigint) {
  const elapsedUs = nowUs > known.atUs ? nowUs - known.atUs : 0n;
  const refilled = fraction(elapsedUs * BigInt(known.limit.refillTokens), partsOf(known.limit));
  const all = sum(known.tokens, refilled);
  const tokens = least(all, whole(known.limit.capacity));
  const given = atLeast(all, whole(known.highest)) ? known.limit.capacity : known.highest;
  const now = { ...known, tokens, atUs: nowUs, highest: given };
  if (revision < known.revision) {
    const { doubtedSinceUs } = known;
    if (doubtedSinceUs === 0n || nowUs < doubtedSinceUs) return { ...now, doubtedSinceUs: nowUs };
    if (nowUs - doubtedSinceUs <= 10_000_000n) return now;
  } else if (revision === known.revision && limit === known.limit) return { ...now, doubtedSinceUs: 0n };
  const added = Math.max(0, limit.capacity - given);
  // The one rounding there is: another interval counts in parts of another size.
  const kept = fraction(floor(product(tokens, partsOf(limit))), partsOf(limit));
  const highest = Math.max(given, limit.capacity);
  const changedTokens = least(sum(kept, whole(added)), whole(limit.capacity));
  return { limit, revision, tokens: changedTokens, atUs: nowUs, highest, doubtedSinceUs: 0n };
}

type Fraction = { over: bigint; under: bigint };
const fraction = (over: bigint, under: bigint): Fraction => ({ over, under });
const whole = (count: number) => fraction(BigInt(count), 1n);
const sum = (a: Fraction, b: Fraction) => fraction(a.over * b.under + b.over * a.under, a.under * b.under);
const product = (a: Fraction, factor: bigint) => fraction(a.over * factor, a.under);
const atLeast = (a: Fraction, b: Fraction) => a.over * b.under >= b.over * a.under;
const least = (a: Fraction, b: Fraction) => (atLeast(a, b) ? b : a);
const lesser = (a: bigint, b: bigint) => (a < b ? a : b);
const floor = ({ over, under }: Fraction) => over / under;
const partsOf = ({ refillIntervalMs }: LimitChange) => BigInt(refillIntervalMs) * 1000n;
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

const BEGIN_US = 1_700_000_000_000_000;

onEachStore((store) => {
  test('serves, refuses and bans exactly as the laws say in exact arithmetic, whatever happens', {
    timeout: 120_000,
  }, async () => {
    const property = fc.asyncProperty(limit, fc.array(step, { minLength: 1, maxLength: 40 }), async (first, steps) => {
      store.clock.nowUs = BEGIN_US;
      const bucket = bucketWith(store, first);
      const model = new Model();
      let [inUse, revision, toldUs] = [first, 0, 0];
      const takeAndCompare = async (cost: number) => {
        const decision = await bucket.take(cost);
        const verdict = model.take(cost, inUse, revision, store.clock.nowUs);
        expect(decision.allowed ? 'served' : decision.reason).toBe(verdict);
        expect(decision.remaining).toBe(model.remaining);
        toldUs = decision.allowed ? 0 : (decision.retryAfterMs ?? 0) * 1000;
        return decision;
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

  test('who waits for as long as told is served, whatever the limit and the cost', { timeout: 120_000 }, async () => {
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
});
