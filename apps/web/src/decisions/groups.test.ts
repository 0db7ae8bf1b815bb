import { summaries } from 'virtual:decisions';
import { expect, test } from 'vitest';
import type { DecisionSummary } from './content.ts';
import { grouped, readingPaths } from './groups.ts';
import { loadDecision } from './load.ts';

test('every decision is in exactly one group', () => {
  const names = grouped(summaries).flatMap(({ decisions }) => decisions.map(({ name }) => name));
  expect(names.toSorted()).toEqual(summaries.map(({ name }) => name).toSorted());
});

test('a decision that no group names is listed under "More"', () => {
  const unheardOf: DecisionSummary = {
    ...{ name: 'unheard-of', title: 'A new one', question: [] },
    ...{ difficulty: 'easy', alsoKnownAs: [], inThirtySeconds: [] },
  };
  expect(grouped([unheardOf])).toMatchObject([{ title: 'More', decisions: [unheardOf] }]);
});

test('every decision of a reading path exists, and is in it once', () => {
  const known = summaries.map(({ name }) => name);
  for (const { names } of readingPaths) {
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
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
