import { registration } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { registrationErrors } from './registration.ts';

const good = { name: 'Ada', email: 'ada@example.org', password: 'correct horse' };

test.each([
  good,
  ...["o'neil+tickets@example.co.uk", ' ada@example.org ', 'ada@bücher.example'].map((email) => ({ ...good, email })),
  ...['ada', 'ada@localhost', 'ädä@example.org', 'ada@-x.org', `${'x'.repeat(65)}@x.org`].map((email) => ({
    ...good,
    email,
  })),
  ...['', ' ', '\u200b', 'Ada\u202e', '👩‍🚀', '東', 'x'.repeat(120), 'x'.repeat(121)].map((name) => ({
    ...good,
    name,
  })),
  ...['1234567', 'x'.repeat(128), 'x'.repeat(129)].map((password) => ({ ...good, password })),
])('the page refuses a registration exactly where the API does: %j', (typed) => {
  const parsed = registration.safeParse(typed);
  const refused = new Set(parsed.error?.issues.map(({ path }) => path[0]));
  expect(Object.keys(registrationErrors(typed))).toEqual([...refused]);
});

test('every invalid field is named at once', () => {
  expect(Object.keys(registrationErrors({ name: ' ', email: 'ada', password: '1234567' }))).toEqual([
    'name',
    'email',
    'password',
  ]);
});
