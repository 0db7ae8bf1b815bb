import { describe, expect, test } from 'vitest';
import { refusal } from '../testing/api-problem.ts';
import { createAttempts, newIdempotencyKey } from './attempts.ts';
import { ApiProblem, type LocalCode } from './client.ts';
import type { TextStore } from './tab-memory.ts';

const hour = 3600 * 1000;

function memory(): TextStore & { text: Map<string, string> } {
  const text = new Map<string, string>();
  return { text, getItem: (name) => text.get(name) ?? null, setItem: (name, value) => text.set(name, value) };
}

/** A browser tab whose storage survives `reload`. */
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
    /** Sends an attempt that ends with this answer, and returns its idempotency key. */
    async send(name: string, answer: 'done' | Error) {
      let usedKey = '';
      await attempts
        .run(name, async (key) => {
          usedKey = key;
          if (answer !== 'done') throw answer;
        })
        .catch(() => undefined);
      return usedKey;
    },
    reload: () => {
      attempts = open();
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const localProblem = (code: LocalCode) => new ApiProblem({ code, status: 0, title: code, at: 0 });

test.each([
  localProblem('connection_lost'),
  localProblem('deadline_passed'),
  new ApiProblem({ code: 'unreadable_answer', status: 504, title: 'a proxy', at: 0 }),
  refusal('rate_limited'),
  refusal('suppressed'),
  refusal('unauthenticated'),
  refusal('store_unavailable'),
  refusal('busy'),
  refusal('outcome_unknown'),
  refusal('internal_error'),
  refusal('idempotency_in_progress'),
])('after $code, a retry reuses the idempotency key', async (answer) => {
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
])('after a final answer (%s), the next attempt gets a new idempotency key', async (answer) => {
  const { send } = tab();
  const key = await send('hold', answer);
  expect(await send('hold', 'done')).not.toBe(key);
});

test('a different choice of tickets is a different attempt', async () => {
  const { send } = tab();
  const key = await send('hold one', localProblem('connection_lost'));
  expect(await send('hold two', localProblem('connection_lost'))).not.toBe(key);
  expect(await send('hold one', 'done')).toBe(key);
});

test('a reload keeps the key of an unanswered attempt', async () => {
  const { send, reload } = tab();
  const key = await send('hold', localProblem('connection_lost'));
  reload();
  expect(await send('hold', 'done')).toBe(key);
  reload();
  expect(await send('hold', 'done')).not.toBe(key);
});

test('a key is discarded before the API forgets it', async () => {
  const { send, pass } = tab();
  const key = await send('hold', localProblem('connection_lost'));
  pass(23 * hour - 1);
  expect(await send('hold', localProblem('connection_lost'))).toBe(key);
  pass(2);
  expect(await send('hold', 'done')).not.toBe(key);
});

describe('the storage', () => {
  test('the storage holds the newest twenty attempts', async () => {
    const store = memory();
    const { send, pass, reload } = tab(store);
    const first = await send('attempt 0', localProblem('connection_lost'));
    for (let count = 1; count <= 20; count += 1) {
      pass(1);
      await send(`attempt ${count}`, localProblem('connection_lost'));
    }
    reload();
    expect(Object.keys(JSON.parse([...store.text.values()].join('')))).toHaveLength(20);
    expect(await send('attempt 1', 'done')).toBe('key-2');
    expect(await send('attempt 0', 'done')).not.toBe(first);
  });

  test.each(['not json', '[]', 'null', '{"hold":{"key":1}}', '{"hold":null}'])(
    'corrupt storage is ignored: %s',
    async (corrupt) => {
      const store = memory();
      const { getItem } = store;
      const { send } = tab({ ...store, getItem: (name) => getItem(name) ?? corrupt });
      expect(await send('hold', 'done')).toBe('key-1');
    },
  );

  test('without writable storage, a key lasts as long as the page', async () => {
    const full: TextStore = {
      getItem: () => null,
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
    };
    for (const store of [full, undefined]) {
      const { send } = tab(store);
      const key = await send('hold', localProblem('connection_lost'));
      expect(await send('hold', 'done')).toBe(key);
    }
  });
});

test('on plain http, where randomUUID is missing, keys are still version 4 UUIDs', () => {
  const insecure = { getRandomValues: crypto.getRandomValues.bind(crypto) };
  const keys = Array.from({ length: 200 }, () => newIdempotencyKey(insecure));
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(keys).size).toBe(200);
});
