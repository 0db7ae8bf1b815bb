import { ApiProblem } from './client.ts';
import { type TextStore, tabMemory } from './tab-memory.ts';

const storeName = 'minitickets:attempts';
/** The API remembers a key for 24 hours; after this time an attempt gets a new key. */
const maxAgeMs = 23 * 3600 * 1000;
const maxKept = 20;

type Kept = Record<string, { key: string; at: number }>;

/**
 * Manages idempotency keys. An attempt is one intended operation: holding these tickets, making this payment. Its key lives
 * from the first request until a final answer, even across a reload, so that a retry cannot carry it out twice.
 */
export function createAttempts(deps: { store: TextStore | undefined; now: () => number; newKey: () => string }) {
  let kept: Kept = read(deps.store);

  function keyOf(name: string): string {
    const known = kept[name];
    if (known && deps.now() - known.at < maxAgeMs) return known.key;
    const key = deps.newKey();
    keep({ ...kept, [name]: { key, at: deps.now() } });
    return key;
  }

  function settle(name: string): void {
    const { [name]: _settled, ...others } = kept;
    keep(others);
  }

  function keep(next: Kept): void {
    const newest = Object.entries(next).sort(([, a], [, b]) => b.at - a.at);
    kept = Object.fromEntries(newest.slice(0, maxKept));
    try {
      deps.store?.setItem(storeName, JSON.stringify(kept));
    } catch {
      // Without storage, keys are lost at the next reload.
    }
  }

  return {
    /** Sends the request with the attempt's key, and discards the key once the answer is final. */
    async run<Answer>(name: string, send: (key: string) => Promise<Answer>): Promise<Answer> {
      try {
        const answer = await send(keyOf(name));
        settle(name);
        return answer;
      } catch (error) {
        if (error instanceof ApiProblem && isFinal(error)) settle(name);
        throw error;
      }
    },
  };
}

/**
 * Returns whether a problem settles the attempt. A 401, a 429, a 5xx or a missing response leave open whether an earlier
 * request was carried out, so the key is kept.
 */
function isFinal(problem: ApiProblem): boolean {
  if (problem.status < 400 || problem.status >= 500) return false;
  return problem.status !== 401 && problem.status !== 429 && problem.code !== 'idempotency_in_progress';
}

function read(store: TextStore | undefined): Kept {
  try {
    const found: unknown = JSON.parse(store?.getItem(storeName) ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(([, attempt]) => isAttempt(attempt)));
  } catch {
    return {};
  }
}

function isAttempt(value: unknown): value is { key: string; at: number } {
  const attempt = value as { key?: unknown; at?: unknown } | null;
  return typeof attempt?.key === 'string' && typeof attempt.at === 'number';
}

/** Returns a version 4 UUID. `crypto.randomUUID` exists only on https and localhost; the shop also runs on plain http in a LAN. */
export function newIdempotencyKey(
  source: Pick<Crypto, 'getRandomValues'> & { randomUUID?: () => string } = crypto,
): string {
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The attempts of this browser tab. */
export const attempts = createAttempts({ store: tabMemory, now: () => Date.now(), newKey: () => newIdempotencyKey() });
