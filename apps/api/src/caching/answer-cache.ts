import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** What a load returns: the text of the answer, and what it tells about. */
export type Loaded = { text: string; tags: ReadonlySet<string> };

/** A response body in ready bytes, shared by every request that it answers. */
export type Answer = {
  body: Buffer;
  /** A strong ETag, of these bytes alone. */
  etag: string;
  /** Compressed once, by the first request that accepts it; null if compression does not help. */
  readonly gzipped: { body: Buffer; etag: string } | null;
  tags: ReadonlySet<string>;
  /** When the load of the answer began: everything that was committed before is in it. */
  readAtMs: number;
};

/** `ageMs` is the time since the answer was read from its source. */
export type Served = { answer: Answer; ageMs: number };

/** A change that makes the answers with some tags wrong. */
type Change = (tags: ReadonlySet<string>) => boolean;

/** A load under way, and the changes since it began. */
type Flight = {
  startedAtMs: number;
  changes: Change[];
  /** Whether one of the changes concerns what it read. Known when it has ended. */
  isOutdated: boolean;
  result: Promise<Answer | undefined>;
};

type Options = {
  /** How old a served answer may be while its source works. */
  maxAgeMs: number;
  /** How old it may be while its source fails (`stale-if-error`, RFC 5861). */
  maxErrorAgeMs: number;
  /** How long callers wait for a slow source while there is a last answer. */
  patienceMs: number;
  /** Time after a failure in which the source is not asked again while there is a last answer. */
  cooldownMs: number;
  maxBytes: number;
  /** Tells a failure of the source, which the last answer covers up, from a bug. */
  isOutage: (error: unknown) => boolean;
  nowMs?: (() => number) | undefined;
};

/**
 * A cache of answers with single-flight: however many callers miss one key, one load is under way, and all of them get its
 * answer. The age of an answer counts from the beginning of its load, so that a slow load does not make it staler. What was
 * read before a change is neither kept after it (no stale set) nor served to a call that came after it.
 */
export function answerCache({ maxBytes, maxAgeMs, maxErrorAgeMs, ...options }: Options) {
  const { patienceMs, cooldownMs, isOutage, nowMs = () => performance.now() } = options;
  /** The least recently used first. */
  const answers = new Map<string, Answer>();
  const flights = new Map<string, Flight>();
  const retryAtMs = new Map<string, number>();
  let bytes = 0;

  function remove(key: string) {
    const answer = answers.get(key);
    if (!answer) return;
    answers.delete(key);
    retryAtMs.delete(key);
    bytes -= sizeOf(key, answer);
  }

  function store(key: string, answer: Answer) {
    remove(key);
    answers.set(key, answer);
    bytes += sizeOf(key, answer);
    for (const oldest of answers.keys()) {
      if (bytes <= maxBytes) break;
      remove(oldest);
    }
  }

  // #region flight
  function startFlight(key: string, load: () => Promise<Loaded | undefined>) {
    const fly = async () => {
      try {
        const loaded = await load();
        const answer = loaded && answerOf(loaded, flight.startedAtMs);
        flight.isOutdated = answer !== undefined && flight.changes.some((concerns) => concerns(answer.tags));
        if (!answer) remove(key);
        else if (!flight.isOutdated) store(key, answer);
        return answer;
      } catch (error) {
        if (answers.has(key)) retryAtMs.set(key, nowMs() + cooldownMs);
        throw error;
      } finally {
        flights.delete(key);
      }
    };
    const flight: Flight = { startedAtMs: nowMs(), changes: [], isOutdated: false, result: Promise.resolve(undefined) };
    flights.set(key, flight);
    flight.result = fly();
    return flight;
  }
  // #endregion

  return {
    get bytes() {
      return bytes;
    },

    /**
     * Returns the answer of a key.
     * @param load resolves to undefined if there is nothing to share, which is not kept
     */
    async read(key: string, load: () => Promise<Loaded | undefined>): Promise<Served | undefined> {
      const last = answers.get(key);
      const ageMs = last ? nowMs() - last.readAtMs : Number.POSITIVE_INFINITY;
      if (last && ageMs < maxAgeMs) {
        answers.delete(key);
        answers.set(key, last);
        return { answer: last, ageMs };
      }
      const isSpare = last !== undefined && ageMs <= maxErrorAgeMs;
      if (isSpare && nowMs() < (retryAtMs.get(key) ?? 0)) return { answer: last, ageMs };
      const resultOf = ({ startedAtMs, result }: Flight) =>
        isSpare ? withPatience(startedAtMs + patienceMs - nowMs(), result) : result;
      try {
        const joined = flights.get(key);
        const flight = joined ?? startFlight(key, load);
        let answer = await resultOf(flight);
        // Any other load began after this call, so it has read everything that the call may expect.
        if (joined && flight.isOutdated) answer = await resultOf(flights.get(key) ?? startFlight(key, load));
        return answer && { answer, ageMs: nowMs() - answer.readAtMs };
      } catch (error) {
        // An answer that was dropped meanwhile is known to be wrong.
        const coversUp = error instanceof SlowSourceError || isOutage(error);
        if (!isSpare || answers.get(key) !== last || !coversUp) throw error;
        return { answer: last, ageMs: nowMs() - last.readAtMs };
      }
    },

    /** Forgets the answers that a change makes wrong, also those whose load is under way. */
    drop(concerns: Change) {
      for (const [key, { tags }] of answers) if (concerns(tags)) remove(key);
      for (const { changes } of flights.values()) changes.push(concerns);
    },
  };
}

class SlowSourceError extends Error {
  override name = 'SlowSourceError';
}

/** Returns the result if it comes in time. @throws SlowSourceError */
async function withPatience<Result>(ms: number, result: Promise<Result>) {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SlowSourceError('the source is slow')), Math.max(0, ms));
  });
  try {
    return await Promise.race([result, slow]);
  } finally {
    clearTimeout(timer);
  }
}

/** Below this, compression saves no packet. */
const MIN_GZIP_BYTES = 1_000;
/** Estimated size of an entry besides its body: key, tags, objects. */
const ENTRY_BYTES = 1_000;

/** A compressed body is a fraction of the plain one; the plain one is counted twice. */
const sizeOf = (key: string, { body, tags }: Answer) => 2 * body.length + key.length + 100 * tags.size + ENTRY_BYTES;

function answerOf({ text, tags }: Loaded, readAtMs: number): Answer {
  const body = Buffer.from(text);
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  let gzipped: Answer['gzipped'] | undefined;
  return {
    body,
    etag: `"${digest}"`,
    get gzipped() {
      if (gzipped === undefined)
        gzipped = body.length < MIN_GZIP_BYTES ? null : { body: gzipSync(body), etag: `"${digest}-gzip"` };
      return gzipped;
    },
    tags,
    readAtMs,
  };
}
