import { expect, test } from 'vitest';
import { excuseLimits, judgeClaim } from '../lib/claim-results.ts';
import { verdictOf } from './verdict.ts';

const about = { name: 'a_claim', description: 'A claim.', threshold: 'rate==1', minTests: 3, unit: '', isLimit: false };
const counted = (count: number) => ({ values: { count } });
const rate = (ok: boolean) => ({ values: { passes: 3, fails: ok ? 0 : 1 }, thresholds: { 'rate==1': { ok } } });

const kept = judgeClaim(about, rate(true), counted(3));
const crossed = judgeClaim(about, rate(false), counted(4));
const limitMet = judgeClaim({ ...about, isLimit: true }, rate(false), counted(4));

test('a claim holds if its threshold does', () => {
  expect(kept).toMatchObject({ holds: true, found: '3 of 3' });
  expect(crossed).toMatchObject({ holds: false, found: '3 of 4' });
});

test('an untested claim does not hold, although k6 lets an empty metric pass', () => {
  expect(judgeClaim(about, undefined, undefined)).toMatchObject({ holds: false, found: 'never tested' });
  const empty = { values: { passes: 0, fails: 0 }, thresholds: { 'rate==1': { ok: true } } };
  expect(judgeClaim(about, empty, counted(0))).toMatchObject({ holds: false, found: 'never tested' });
});

test('a claim that was tested too few times does not hold', () => {
  expect(judgeClaim(about, rate(true), counted(2)).holds).toBe(false);
});

test('reaching a limit does not break a claim', () => {
  expect(limitMet).toMatchObject({ holds: true, met: true });
  expect(verdictOf({ claims: [kept, limitMet], exitCode: 99, auditHolds: true }).holds).toBe(true);
});

test('an untested limit is excused only if another limit ended the run', () => {
  const unseen = judgeClaim({ ...about, isLimit: true }, undefined, undefined);
  expect(excuseLimits([unseen, kept]).map(({ holds }) => holds)).toEqual([false, true]);
  expect(excuseLimits([unseen, limitMet, crossed]).map(({ holds }) => holds)).toEqual([true, true, false]);
});

test('a run holds only if the claims and the audit hold', () => {
  expect(verdictOf({ claims: [kept], exitCode: 0, auditHolds: true }).holds).toBe(true);
  expect(verdictOf({ claims: [kept], exitCode: 0, auditHolds: false }).holds).toBe(false);
  expect(verdictOf({ claims: [kept, crossed], exitCode: 99, auditHolds: true }).holds).toBe(false);
});

test('a run without claims proves nothing', () => {
  expect(verdictOf({ claims: [], exitCode: 0, auditHolds: true }).holds).toBe(false);
});

test.each([1, 99, 105, 107, 108, 137])('an unexplained exit code of %i fails the run', (exitCode) => {
  expect(verdictOf({ claims: [kept], exitCode, auditHolds: true })).toEqual({ holds: false, explained: false });
});
