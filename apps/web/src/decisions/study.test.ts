import { expect, test } from 'vitest';
import { createStudy, isDue, maxAnswer, own } from './study.ts';

const day = 86_400_000;
const storeName = 'minitickets:study';

function memory(text?: string) {
  const kept = new Map<string, string>(text === undefined ? [] : [[storeName, text]]);
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  };
}
type Study = ReturnType<typeof createStudy>;
const dueAt = (study: Study, name: string, atMs: number) => isDue(own(study.read().decisions, name), atMs);

test('answers, marks and the switch survive a reload', () => {
  const store = memory();
  const study = createStudy(store);
  study.answer('double-click', 'An idempotency key.');
  study.reveal('double-click');
  study.mark('double-click', 'right', 0);
  study.showAll(true);
  expect(createStudy(store).read()).toEqual({
    showAll: true,
    decisions: { 'double-click': { answer: 'An idempotency key.', revealed: true, mark: 'right' } },
  });
});

test('a decision that was wrong comes back after 1, 3, 7 and 21 days, and then no more', () => {
  const study = createStudy(memory());
  study.mark('hot-key', 'wrong', 0);
  let nowMs = 0;
  for (const days of [1, 3, 7, 21]) {
    expect(dueAt(study, 'hot-key', nowMs + days * day - 1)).toBe(false);
    nowMs += days * day;
    expect(dueAt(study, 'hot-key', nowMs)).toBe(true);
    study.mark('hot-key', 'right', nowMs);
  }
  expect(dueAt(study, 'hot-key', nowMs + 1000 * day)).toBe(false);
});

test('a wrong answer in a review starts over, and a right one before its time changes no date', () => {
  const study = createStudy(memory());
  study.mark('hot-key', 'wrong', 0);
  study.mark('hot-key', 'right', 1000);
  expect(dueAt(study, 'hot-key', day)).toBe(true);
  study.mark('hot-key', 'right', day);
  expect(dueAt(study, 'hot-key', 3 * day)).toBe(false);
  study.mark('hot-key', 'wrong', 4 * day);
  expect(dueAt(study, 'hot-key', 5 * day)).toBe(true);
});

test('a decision that was right at once never comes back', () => {
  const study = createStudy(memory());
  study.mark('hot-key', 'right', 0);
  expect(dueAt(study, 'hot-key', 1000 * day)).toBe(false);
});

test('two tabs do not overwrite each other', () => {
  const store = memory();
  const [one, other] = [createStudy(store), createStudy(store)];
  one.answer('hot-key', 'first');
  other.answer('hot-event', 'second');
  one.reload();
  expect(Object.keys(one.read().decisions)).toEqual(['hot-key', 'hot-event']);
});

test('stored answers are bounded in length and in number', () => {
  const store = memory();
  const study = createStudy(store);
  study.answer('long', 'x'.repeat(maxAnswer + 1));
  expect(own(study.read().decisions, 'long').answer).toHaveLength(maxAnswer);
  for (let n = 0; n < 150; n++) study.reveal(`decision-${n}`);
  expect(Object.keys(createStudy(store).read().decisions)).toHaveLength(100);
});

test.each(['', 'junk', 'null', '[]', '{"decisions":null}', '{"decisions":{"a":null}}', '{"decisions":7,"showAll":1}'])(
  'stored text %j counts as nothing studied, or as little of it as is valid',
  (text) => {
    const { showAll, decisions } = createStudy(memory(text)).read();
    expect([showAll, Object.keys(decisions)]).toEqual([false, []]);
  },
);

test('stored values of a wrong type are left out', () => {
  const text = '{"decisions":{"a":{"answer":7,"revealed":"yes","mark":"perhaps","dueAt":"soon","streak":null}}}';
  expect(createStudy(memory(text)).read()).toEqual({ showAll: false, decisions: { a: {} } });
});

test('a decision named like a property of every object is unknown until it is studied', () => {
  expect(own(createStudy(memory()).read().decisions, 'constructor')).toEqual({});
});

test('without storage, answers are kept until a reload', () => {
  const denied = () => {
    throw new Error('forbidden');
  };
  const study = createStudy({ getItem: denied, setItem: denied });
  study.answer('hot-key', 'kept');
  study.reveal('hot-event');
  expect(own(study.read().decisions, 'hot-key').answer).toBe('kept');
});
