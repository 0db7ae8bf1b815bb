import { email as contractEmail } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { registrationErrors } from './registration.ts';

const good = { name: 'Ada', email: 'ada@example.org', password: 'correct horse' };

test('what the API takes is not refused before it is sent', () => {
  expect(registrationErrors(good)).toEqual({});
  for (const email of ["o'neil+tickets@example.co.uk", ' ada@example.org ', 'a_b@sub.example.org']) {
    expect(contractEmail.safeParse(email).success).toBe(true);
    expect(registrationErrors({ ...good, email })).toEqual({});
  }
});

test('every field that is wrong is named at once', () => {
  expect(Object.keys(registrationErrors({ name: ' ', email: 'ada', password: '1234567' }))).toEqual([
    'name',
    'email',
    'password',
  ]);
});
