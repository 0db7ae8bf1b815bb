import { type ProblemCode, problems } from '@minitickets/contract';
import { describe, expect, test } from 'vitest';
import type { LocalCode } from '../api/client.ts';
import { explain, type UserAction } from './problems.ts';

const codes = Object.keys(problems) as ProblemCode[];
const localCodes: LocalCode[] = ['connection_lost', 'deadline_passed', 'unreadable_answer'];
const actions: UserAction[] = [
  'reading',
  'holding',
  'paying',
  'cancelling',
  'logging_in',
  'registering',
  'logging_out',
  'changing',
  'checking_in',
];
const apiWords = { title: 'TITLE OF THE API', detail: 'DETAIL OF THE API.' };

const explained = (code: string, action: UserAction, status = 409) =>
  explain({ code: code as ProblemCode, status, ...apiWords }, action);

describe.each([...codes, ...localCodes])('%s', (code) => {
  test.each(actions)('is explained in the pages’ own words while %s', (action) => {
    const { title, text } = explained(code, action);
    expect(title).not.toBe(apiWords.title);
    expect(title.length).toBeGreaterThan(5);
    expect(text).toMatch(/[.!]$/);
    expect(`${title} ${text}`).not.toMatch(/undefined|[a-z]_[a-z]/);
  });
});

test('where only the API knows the reason, the page shows the API’s detail', () => {
  const reasons = codes.filter((code) => explained(code, 'changing').text === apiWords.detail);
  expect(reasons).toEqual(['already_checked_in', 'ticket_not_valid', 'change_not_possible', 'pause_not_possible']);
});

test('a time in the API’s detail is shown in the event’s time zone', () => {
  const detail = 'It was checked in on 2026-11-29T22:33:24.340Z.';
  const used = { code: 'already_checked_in', status: 409, title: '', detail } as const;
  expect(explain(used, 'checking_in', 'Europe/Zurich').text).toBe(
    'It was checked in on Sun 29 November 2026, 23:33 CET.',
  );
  expect(explain(used, 'checking_in').text).not.toMatch(/T\d\d:/);
});

test('a buyer over the limit per person reads how high that limit is', () => {
  const detail = 'One person can have at most 4 tickets for this event.';
  const refused = { code: 'user_limit_reached', status: 409, title: '', detail } as const;
  expect(explain(refused, 'holding').text).toMatch(
    /^One person can have at most 4 tickets for this event\. Nothing was held/,
  );
});

test('only a buyer who chose tickets reads that the choice is kept', () => {
  expect(actions.filter((action) => explained('unauthenticated', action).text.includes('choice'))).toEqual(['holding']);
});

test('a refusal with a known end asks the user to wait', () => {
  for (const code of ['rate_limited', 'suppressed', 'sales_not_open'] as const) {
    expect(explained(code, 'holding').next).toBe('wait');
  }
});

test('a buyer who paid for tickets that are gone reads that the money comes back', () => {
  for (const code of ['event_not_on_sale', 'booking_not_payable', 'hold_expired']) {
    expect(explained(code, 'paying').text).toMatch(/full refund/);
    expect(explained(code, 'paying').text).not.toContain('Nothing was held');
  }
  expect(explained('event_not_on_sale', 'holding').text).toContain('Nothing was held');
});

test('an unauthenticated user, and nobody else, is led to the log-in', () => {
  expect(explained('unauthenticated', 'holding').next).toBe('log_in');
  expect(codes.filter((code) => explained(code, 'holding').next === 'log_in')).toEqual(['unauthenticated']);
});

test('when the outcome is unknown, the text never claims that nothing happened', () => {
  const open = [
    'connection_lost',
    'deadline_passed',
    'unreadable_answer',
    'store_unavailable',
    'busy',
    'outcome_unknown',
    'internal_error',
  ];
  for (const code of open) {
    expect(explained(code, 'holding').text).not.toContain('Nothing was held');
    expect(explained(code, 'holding').text).toMatch(/once/);
    expect(explained(code, 'paying').text).toMatch(/charged once/);
    expect(explained(code, 'holding').next).toBe('again');
  }
});

test('a rate-limited request reads that nothing happened', () => {
  for (const code of ['rate_limited', 'suppressed']) {
    expect(explained(code, 'holding').text).toContain('Nothing was held');
    expect(explained(code, 'paying').text).toContain('Nothing was charged');
  }
});

test('an unknown problem code keeps the API’s own title and detail', () => {
  expect(explained('added_later', 'holding')).toEqual({ title: apiWords.title, text: apiWords.detail, next: 'none' });
  expect(explained('added_later', 'holding', 503).next).toBe('again');
  expect(explained('toString', 'holding').title).toBe(apiWords.title);
});
