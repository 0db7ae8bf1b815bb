import { expect, test } from 'vitest';
import { excuseLimits, judgeClaim } from '../lib/claim-results.ts';
import { verdictOf } from './verdict.ts';

const about = { name: 'a_claim', says: 'It is so.', threshold: 'rate==1', atLeast: 3, unit: '', isLimit: false };
const counted = (count: number) => ({ values: { count } });
const rate = (ok: boolean) => ({ values: { passes: 3, fails: ok ? 0 : 1 }, thresholds: { 'rate==1': { ok } } });

const kept = judgeClaim(about, rate(true), counted(3));
const crossed = judgeClaim(about, rate(false), counted(4));
const limitMet = judgeClaim({ ...about, isLimit: true }, rate(false), counted(4));

test('a claim holds if its threshold does', () => {
  expect(kept).toMatchObject({ holds: true, found: '3 of 3' });
  expect(crossed).toMatchObject({ holds: false, found: '3 of 4' });
});

test('a claim that nothing has tested does not hold, though k6 lets its threshold pass', () => {
  expect(judgeClaim(about, undefined, undefined)).toMatchObject({ holds: false, found: 'never tested' });
  const empty = { values: { passes: 0, fails: 0 }, thresholds: { 'rate==1': { ok: true } } };
  expect(judgeClaim(about, empty, counted(0))).toMatchObject({ holds: false, found: 'never tested' });
});

test('nor does one that was tested less often than it says', () => {
  expect(judgeClaim(about, rate(true), counted(2)).holds).toBe(false);
});

test('a limit that is met is no broken claim', () => {
  expect(limitMet).toMatchObject({ holds: true, met: true });
  expect(verdictOf({ claims: [kept, limitMet], exitCode: 99, auditHolds: true }).holds).toBe(true);
});

test('a limit that nobody looked for is excused only by another one that ended the run first', () => {
  const unseen = judgeClaim({ ...about, isLimit: true }, undefined, undefined);
  expect(excuseLimits([unseen, kept]).map(({ holds }) => holds)).toEqual([false, true]);
  expect(excuseLimits([unseen, limitMet, crossed]).map(({ holds }) => holds)).toEqual([true, true, false]);
});

test('a run holds only if the claims and the audit do', () => {
  expect(verdictOf({ claims: [kept], exitCode: 0, auditHolds: true }).holds).toBe(true);
  expect(verdictOf({ claims: [kept], exitCode: 0, auditHolds: false }).holds).toBe(false);
  expect(verdictOf({ claims: [kept, crossed], exitCode: 99, auditHolds: true }).holds).toBe(false);
});

test('a run without claims proves nothing', () => {
  expect(verdictOf({ claims: [], exitCode: 0, auditHolds: true }).holds).toBe(false);
});

test.each([1, 99, 105, 107, 108, 137])('an exit code of %i that no claim explains is not overlooked', (exitCode) => {
  expect(verdictOf({ claims: [kept], exitCode, auditHolds: true })).toEqual({ holds: false, explained: false });
});
