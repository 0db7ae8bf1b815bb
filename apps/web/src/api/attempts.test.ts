import { describe, expect, test } from 'vitest';
import { refusal } from '../testing/api-problem.ts';
import { createAttempts, newIdempotencyKey, type TextStore } from './attempts.ts';
import { ApiProblem, type LocalCode } from './client.ts';

const hour = 3600 * 1000;

function memory(): TextStore & { text: Map<string, string> } {
  const text = new Map<string, string>();
  return { text, getItem: (name) => text.get(name) ?? null, setItem: (name, value) => text.set(name, value) };
}

/** One tab: what it stores survives `reload`. */
function tab(store: TextStore | undefined = memory()) {
  let count = 0;
  let now = 0;
  const open = () =>
    createAttempts({
      store,
      now: () => now,
      newKey: () => {
        count += 1;
        return `key-${count}`;
      },
    });
  let attempts = open();
  return {
    /** The key that an attempt is sent under when its answer is this one. */
    async send(name: string, answer: 'done' | Error) {
      let sentUnder = '';
      await attempts
        .run(name, async (key) => {
          sentUnder = key;
          if (answer !== 'done') throw answer;
        })
        .catch(() => undefined);
      return sentUnder;
    },
    reload: () => {
      attempts = open();
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const silence = (code: LocalCode) => new ApiProblem({ code, status: 0, title: code, at: 0 });

test.each([
  silence('connection_lost'),
  silence('deadline_passed'),
  new ApiProblem({ code: 'unreadable_answer', status: 504, title: 'a proxy', at: 0 }),
  refusal('rate_limited'),
  refusal('suppressed'),
  refusal('unauthenticated'),
  refusal('store_unavailable'),
  refusal('busy'),
  refusal('internal_error'),
  refusal('idempotency_in_progress'),
])('after $code the same attempt is sent under the same key', async (answer) => {
  const { send } = tab();
  const key = await send('hold', answer);
  expect(await send('hold', 'done')).toBe(key);
});

test.each([
  'done' as const,
  refusal('sold_out'),
  refusal('user_limit_reached'),
  refusal('payment_declined'),
  refusal('hold_expired'),
  refusal('validation_failed'),
  refusal('idempotency_key_reused'),
])('after a verdict (%s) the next attempt has a key of its own', async (answer) => {
  const { send } = tab();
  const key = await send('hold', answer);
  expect(await send('hold', 'done')).not.toBe(key);
});

test('other places are another attempt', async () => {
  const { send } = tab();
  const key = await send('hold one', silence('connection_lost'));
  expect(await send('hold two', silence('connection_lost'))).not.toBe(key);
  expect(await send('hold one', 'done')).toBe(key);
});

test('a reload keeps the key of an attempt that nobody answered', async () => {
  const { send, reload } = tab();
  const key = await send('hold', silence('connection_lost'));
  reload();
  expect(await send('hold', 'done')).toBe(key);
  reload();
  expect(await send('hold', 'done')).not.toBe(key);
});

test('a key is given up before the API forgets it', async () => {
  const { send, pass } = tab();
  const key = await send('hold', silence('connection_lost'));
  pass(23 * hour - 1);
  expect(await send('hold', silence('connection_lost'))).toBe(key);
  pass(2);
  expect(await send('hold', 'done')).not.toBe(key);
});

describe('the store', () => {
  test('holds the newest twenty attempts', async () => {
    const store = memory();
    const { send, pass, reload } = tab(store);
    const first = await send('attempt 0', silence('connection_lost'));
    for (let count = 1; count <= 20; count += 1) {
      pass(1);
      await send(`attempt ${count}`, silence('connection_lost'));
    }
    reload();
    expect(Object.keys(JSON.parse([...store.text.values()].join('')))).toHaveLength(20);
    expect(await send('attempt 1', 'done')).toBe('key-2');
    expect(await send('attempt 0', 'done')).not.toBe(first);
  });

  test.each(['not json', '[]', 'null', '{"hold":{"key":1}}', '{"hold":null}'])(
    'may hold rubbish: %s',
    async (rubbish) => {
      const store = memory();
      const { getItem } = store;
      const { send } = tab({ ...store, getItem: (name) => getItem(name) ?? rubbish });
      expect(await send('hold', 'done')).toBe('key-1');
    },
  );

  test('may refuse to be written to, or be missing: then a key lasts as long as the page', async () => {
    const full: TextStore = {
      getItem: () => null,
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
    };
    for (const store of [full, undefined]) {
      const { send } = tab(store);
      const key = await send('hold', silence('connection_lost'));
      expect(await send('hold', 'done')).toBe(key);
    }
  });
});

test('on plain http, without randomUUID, keys are version 4 UUIDs all the same', () => {
  const insecure = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  const keys = Array.from({ length: 200 }, () => newIdempotencyKey(insecure));
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(keys).size).toBe(200);
});
