import { ApiProblem } from './client.ts';
import { tabMemory } from './tab-memory.ts';

/** What `sessionStorage` offers of interest here. */
export interface TextStore {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

const storeName = 'minitickets:attempts';
/** The API remembers a key for 24 hours; an attempt older than that is a new one. */
const keptMs = 23 * 3600 * 1000;
const maxKept = 20;

type Kept = Record<string, { key: string; at: number }>;

/**
 * An attempt is one thing asked for once: these places, this payment. Its idempotency key lives from the first sending
 * until an answer settles it, also across a reload, so that asking again after a lost connection cannot do it twice.
 */
export function createAttempts(world: { store: TextStore | undefined; now: () => number; newKey: () => string }) {
  let kept: Kept = read(world.store);

  function keyOf(name: string): string {
    const known = kept[name];
    if (known && world.now() - known.at < keptMs) return known.key;
    const key = world.newKey();
    keep({ ...kept, [name]: { key, at: world.now() } });
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
      world.store?.setItem(storeName, JSON.stringify(kept));
    } catch {
      // A full or forbidden store only costs the memory across a reload.
    }
  }

  return {
    /** Sends under the attempt's key, and forgets the key once the answer is a verdict. */
    async run<Answer>(name: string, send: (key: string) => Promise<Answer>): Promise<Answer> {
      try {
        const answer = await send(keyOf(name));
        settle(name);
        return answer;
      } catch (error) {
        if (error instanceof ApiProblem && isVerdict(error)) settle(name);
        throw error;
      }
    },
  };
}

/**
 * Whether the answer decides this attempt. A refusal at the door (log in first, too many requests) and every kind of
 * silence leave open whether an earlier sending was carried out, so they keep the key.
 */
function isVerdict(problem: ApiProblem): boolean {
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

/** A v4 UUID. `crypto.randomUUID` exists only on https and localhost, and the shop also runs on http in a home network. */
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

/** The attempts of this tab. */
export const attempts = createAttempts({ store: tabMemory, now: () => Date.now(), newKey: () => newIdempotencyKey() });
