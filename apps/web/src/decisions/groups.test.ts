import { summaries } from 'virtual:decisions';
import { expect, test } from 'vitest';
import { grouped, startWith } from './groups.ts';
import { loadDecision } from './load.ts';

test('every decision is in exactly one group', () => {
  const names = grouped(summaries).flatMap(({ decisions }) => decisions.map(({ name }) => name));
  expect(names.toSorted()).toEqual(summaries.map(({ name }) => name).toSorted());
});

test('a decision that no group names is listed under "More"', () => {
  const unheardOf = { name: 'unheard-of', title: 'A new one', question: [] };
  expect(grouped([unheardOf])).toMatchObject([{ title: 'More', decisions: [unheardOf] }]);
});

test('the decisions to start with exist', () => {
  const names = summaries.map(({ name }) => name);
  expect(startWith.filter((name) => !names.includes(name))).toEqual([]);
});

// Each decision is a separate module, which takes a busy machine some time to build.
test('every decision loads with its text, code, arms and neighbours', { timeout: 30_000 }, async () => {
  for (const [index, { name }] of summaries.entries()) {
    const { decision, before, after } = (await loadDecision(name)) ?? expect.fail(`${name} does not open`);
    expect(decision.alsoKnownAs.length).toBeGreaterThan(0);
    expect(decision.inThirtySeconds.length).toBeGreaterThan(0);
    expect(decision.code.every(({ lines, firstLine }) => lines.length > 0 && firstLine > 0)).toBe(true);
    expect(decision.code.length).toBeGreaterThan(0);
    expect(decision.commands).toContain(`npm run experiment -- ${name}`);
    expect(decision.arms.at(-1)?.name).toBe('shipped');
    for (const { differences } of decision.arms.slice(0, -1)) expect(differences.length).toBeGreaterThan(0);
    expect([before, after]).toEqual([summaries[index - 1], summaries[index + 1]]);
  }
});

test.each(['there-is-none', 'constructor', '__proto__', ''])(
  'loading an unknown decision "%s" returns undefined',
  async (name) => {
    expect(await loadDecision(name)).toBeUndefined();
  },
);
