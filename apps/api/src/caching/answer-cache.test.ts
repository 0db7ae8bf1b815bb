import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { answerCache, type Loaded } from './answer-cache.ts';

class OutageError extends Error {}

type Load = { resolve: (loaded?: Loaded) => void; reject: (error: Error) => void };

/** A cache on a clock moved by hand, in front of a source whose loads end when a test ends them. */
function setUp({ patienceMs = 60_000, maxBytes = 100_000 } = {}) {
  const clock = { ms: 0 };
  const cache = answerCache({
    maxAgeMs: 1_000,
    maxErrorAgeMs: 60_000,
    patienceMs,
    cooldownMs: 250,
    maxBytes,
    isOutage: (error) => error instanceof OutageError,
    nowMs: () => clock.ms,
  });
  const loads: Load[] = [];
  const load = () =>
    new Promise<Loaded | undefined>((resolve, reject) => {
      loads.push({ resolve, reject });
    });
  const read = async (key = 'key') => {
    const served = await cache.read(key, load);
    return served && { text: served.answer.body.toString(), ageMs: served.ageMs };
  };
  /** Reads once, with this text as the answer of the source. */
  const fill = async (text: string, key = 'key', ...tags: string[]) => {
    const reading = read(key);
    loads.at(-1)?.resolve(loaded(text, ...tags));
    return reading;
  };
  return { clock, cache, loads, read, fill };
}

const loaded = (text: string, ...tags: string[]): Loaded => ({ text, tags: new Set(tags) });

test('256 concurrent callers of one miss share one load', async () => {
  const { loads, read } = setUp();
  const callers = Array.from({ length: 256 }, () => read());
  expect(loads).toHaveLength(1);
  loads[0]?.resolve(loaded('shared'));
  expect(new Set((await Promise.all(callers)).map((served) => served?.text))).toEqual(new Set(['shared']));
});

test('an answer is served until it is as old as the maximum age, counted from the beginning of its load', async () => {
  const { clock, loads, read } = setUp();
  const reading = read();
  clock.ms = 600;
  loads[0]?.resolve(loaded('slow'));
  expect(await reading).toEqual({ text: 'slow', ageMs: 600 });
  clock.ms = 999;
  expect(await read()).toEqual({ text: 'slow', ageMs: 999 });
  clock.ms = 1_000;
  const next = read();
  expect(loads).toHaveLength(2);
  loads[1]?.resolve(loaded('new'));
  expect(await next).toEqual({ text: 'new', ageMs: 0 });
});

test('a change drops the answers that it concerns and no others', async () => {
  const { cache, loads, fill, read } = setUp();
  await fill('first', 'one', 'a');
  await fill('second', 'two', 'b');
  cache.drop((tags) => tags.has('a'));
  expect(await read('two')).toMatchObject({ text: 'second' });
  void read('one');
  expect(loads).toHaveLength(3);
});

test('an answer that was read before a change is not kept after it', async () => {
  const { cache, loads, read } = setUp();
  const reading = read();
  cache.drop((tags) => tags.has('a'));
  loads[0]?.resolve(loaded('read before the change', 'a'));
  await reading;
  void read();
  expect(loads).toHaveLength(2);
});

test('a call after a change never gets what was read before it, even from a load that it joined', async () => {
  const { cache, loads, read } = setUp();
  void read();
  cache.drop((tags) => tags.has('a'));
  const after = read();
  loads[0]?.resolve(loaded('before', 'a'));
  await expect.poll(() => loads.length).toBe(2);
  loads[1]?.resolve(loaded('after', 'a'));
  expect(await after).toMatchObject({ text: 'after' });
});

test('a change that concerns nothing of what is being read costs no second load', async () => {
  const { cache, loads, read } = setUp();
  const reading = [read()];
  cache.drop((tags) => tags.has('another'));
  reading.push(read());
  loads[0]?.resolve(loaded('kept', 'a'));
  await Promise.all(reading);
  expect(await read()).toMatchObject({ text: 'kept' });
  expect(loads).toHaveLength(1);
});

test('during an outage the last answer is served for a minute, and then the failure', async () => {
  const { clock, loads, fill, read } = setUp();
  await fill('last');
  for (const ms of [1_000, 60_000]) {
    clock.ms = ms;
    const reading = read();
    loads.at(-1)?.reject(new OutageError());
    expect(await reading).toEqual({ text: 'last', ageMs: ms });
  }
  clock.ms = 60_251;
  const reading = read();
  loads.at(-1)?.reject(new OutageError());
  await expect(reading).rejects.toThrow(OutageError);
});

test('after a failure the source rests: callers get the last answer without a load', async () => {
  const { clock, loads, fill, read } = setUp();
  await fill('last');
  clock.ms = 1_000;
  const reading = read();
  loads[1]?.reject(new OutageError());
  await reading;
  clock.ms = 1_249;
  expect(await read()).toMatchObject({ text: 'last' });
  expect(loads).toHaveLength(2);
  clock.ms = 1_250;
  void read();
  expect(loads).toHaveLength(3);
});

test('a source that hangs is waited for with patience once, and asked once', async () => {
  const { clock, loads, fill, read } = setUp({ patienceMs: 5 });
  await fill('last');
  clock.ms = 2_000;
  expect(await read()).toMatchObject({ text: 'last' });
  clock.ms = 3_000;
  expect(await Promise.all([read(), read()])).toMatchObject([{ text: 'last' }, { text: 'last' }]);
  expect(loads).toHaveLength(2);
});

test('a failure that is no outage is not covered up', async () => {
  const { clock, loads, fill, read } = setUp();
  await fill('last');
  clock.ms = 1_000;
  const reading = read();
  loads[1]?.reject(new TypeError('a bug'));
  await expect(reading).rejects.toThrow('a bug');
});

test('an answer that a change has made wrong is not served during an outage either', async () => {
  const { clock, cache, loads, fill, read } = setUp();
  await fill('wrong by now', 'key', 'a');
  clock.ms = 1_000;
  const reading = read();
  cache.drop((tags) => tags.has('a'));
  loads[1]?.reject(new OutageError());
  await expect(reading).rejects.toThrow(OutageError);
});

test('what is no longer public is forgotten', async () => {
  const { clock, loads, fill, read } = setUp();
  await fill('public');
  clock.ms = 1_000;
  const reading = read();
  loads[1]?.resolve(undefined);
  expect(await reading).toBeUndefined();
  const next = read();
  loads[2]?.reject(new OutageError());
  await expect(next).rejects.toThrow(OutageError);
});

test('memory is bounded: the answers used least recently go first', async () => {
  const { cache, loads, fill, read } = setUp({ maxBytes: 40_000 });
  await fill('x'.repeat(5_000), 'popular');
  for (let n = 0; n < 100; n += 1) {
    await fill('x'.repeat(5_000), `rare ${n}`);
    await read('popular');
  }
  expect(cache.bytes).toBeLessThanOrEqual(40_000);
  expect(loads).toHaveLength(101);
});

test('a body is compressed once, under an ETag of its own', async () => {
  const { cache } = setUp();
  const text = 'tickets '.repeat(1_000);
  const [one, other] = await Promise.all([1, 2].map(() => cache.read('key', async () => loaded(text))));
  expect(one?.answer.gzipped?.body).toBe(other?.answer.gzipped?.body);
  expect(gunzipSync(one?.answer.gzipped?.body ?? '').toString()).toBe(text);
  expect(one?.answer.gzipped?.etag).not.toBe(one?.answer.etag);
});
