import { type ProblemCode, problems } from '@minitickets/contract';
import { describe, expect, test } from 'vitest';
import type { LocalCode } from '../api/client.ts';
import { type Doing, explain } from './problems.ts';

const codes = Object.keys(problems) as ProblemCode[];
const localCodes: LocalCode[] = ['connection_lost', 'deadline_passed', 'unreadable_answer'];
const doings: Doing[] = [
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

const told = (code: string, doing: Doing, status = 409) =>
  explain({ code: code as ProblemCode, status, ...apiWords }, doing);

describe.each([...codes, ...localCodes])('%s', (code) => {
  test.each(doings)('has words of its own while %s', (doing) => {
    const { title, text } = told(code, doing);
    expect(title).not.toBe(apiWords.title);
    expect(title.length).toBeGreaterThan(5);
    expect(text).toMatch(/[.!]$/);
    expect(`${title} ${text}`).not.toMatch(/undefined|[a-z]_[a-z]/);
  });
});

test('where only the API knows the reason, its own is told', () => {
  const reasons = codes.filter((code) => told(code, 'changing').text === apiWords.detail);
  expect(reasons).toEqual(['already_checked_in', 'ticket_not_valid', 'change_not_possible', 'pause_not_possible']);
});

test('a time that the API names is told on the clock of the event', () => {
  const detail = 'It admitted somebody on 2026-11-29T22:33:24.340Z.';
  const used = { code: 'already_checked_in', status: 409, title: '', detail } as const;
  expect(explain(used, 'checking_in', 'Europe/Zurich').text).toBe(
    'It admitted somebody on Sun 29 November 2026, 23:33 CET.',
  );
  expect(explain(used, 'checking_in').text).not.toMatch(/T\d\d:/);
});

test('who wants more than one person may have is told how many that is', () => {
  const detail = 'One person can have at most 4 tickets for this event.';
  const refused = { code: 'user_limit_reached', status: 409, title: '', detail } as const;
  expect(explain(refused, 'holding').text).toMatch(
    /^One person can have at most 4 tickets for this event\. Nothing was held/,
  );
});

test('only who chose places is told that a choice is kept', () => {
  expect(doings.filter((doing) => told('unauthenticated', doing).text.includes('choice'))).toEqual(['holding']);
});

test('who has to wait for a time is told to wait', () => {
  for (const code of ['rate_limited', 'suppressed', 'sales_not_open'] as const) {
    expect(told(code, 'holding').next).toBe('wait');
  }
});

test('who pays for what cannot be had is told that the money comes back', () => {
  for (const code of ['event_not_on_sale', 'booking_not_payable', 'hold_expired']) {
    expect(told(code, 'paying').text).toMatch(/sent back in full|refunded/);
    expect(told(code, 'paying').text).not.toContain('Nothing was held');
  }
  expect(told('event_not_on_sale', 'holding').text).toContain('Nothing was held');
});

test('who has to log in is led to the log-in', () => {
  expect(told('unauthenticated', 'holding').next).toBe('log_in');
  expect(codes.filter((code) => told(code, 'holding').next === 'log_in')).toEqual(['unauthenticated']);
});

test('when nobody knows whether it was carried out, nobody says that it was not', () => {
  const open = [
    'connection_lost',
    'deadline_passed',
    'unreadable_answer',
    'store_unavailable',
    'busy',
    'internal_error',
  ];
  for (const code of open) {
    expect(told(code, 'holding').text).not.toContain('Nothing was held');
    expect(told(code, 'holding').text).toMatch(/once/);
    expect(told(code, 'paying').text).toMatch(/charged once/);
    expect(told(code, 'holding').next).toBe('again');
  }
});

test('a refusal at the door says that nothing happened', () => {
  for (const code of ['rate_limited', 'suppressed']) {
    expect(told(code, 'holding').text).toContain('Nothing was held');
    expect(told(code, 'paying').text).toContain('Nothing was charged');
  }
});

test('a code that these pages do not know is told in the words of the API', () => {
  expect(told('added_later', 'holding')).toEqual({ title: apiWords.title, text: apiWords.detail, next: 'none' });
  expect(told('added_later', 'holding', 503).next).toBe('again');
  expect(told('toString', 'holding').title).toBe(apiWords.title);
});
