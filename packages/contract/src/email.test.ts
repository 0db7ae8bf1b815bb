import { expect, test } from 'vitest';
import { normalizeEmail } from './email.ts';
import { credentials, email } from './users.ts';

test.each([
  ['Ann@Example.ORG', 'ann@example.org'],
  [" o'neil+tickets@example.co.uk ", "o'neil+tickets@example.co.uk"],
  ['!#$%&*+/=?^_`{|}~-@example.org', '!#$%&*+/=?^_`{|}~-@example.org'],
  ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example'],
  ['ann@bu\u0308cher.example', 'ann@xn--bcher-kva.example'],
  ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
  ['ann@ｅxample.org', 'ann@example.org'],
  [`${'x'.repeat(64)}@example.org`, `${'x'.repeat(64)}@example.org`],
  [`a@${'x'.repeat(63)}.org`, `a@${'x'.repeat(63)}.org`],
])('%s is normalized to %s', (typed, normal) => {
  expect(normalizeEmail(typed)).toBe(normal);
  expect(email.parse(typed)).toBe(normal);
  // Registration and log-in normalize alike.
  expect(credentials.parse({ email: typed, password: 'x' }).email).toBe(normal);
  expect(normalizeEmail(normal)).toBe(normal);
});

test.each([
  'ann',
  '@example.org',
  'ann@',
  'ann@localhost',
  'ann@[192.0.2.1]',
  'ann@192.0.2.1',
  'ann@0x7f.1',
  'ann@example.org.',
  'ann@-example.org',
  'ann@exam_ple.org',
  'ann@exa%6dple.org',
  'ann@example.org:25',
  'ann@example.org/x',
  'ann@ex\u200bample.org',
  'ann@xn--zz.org',
  'a..nn@example.org',
  '.ann@example.org',
  'a nn@example.org',
  '"ann"@example.org',
  'änn@example.org',
  // The Kelvin sign and the long s: case variants of other letters.
  '\u212aen@example.org',
  '\u017fue@example.org',
  `${'x'.repeat(65)}@example.org`,
  `a@${'x'.repeat(64)}.org`,
  `a@${'x.'.repeat(130)}org`,
])('%s is not a valid e-mail address', (typed) => {
  expect(normalizeEmail(typed)).toBeUndefined();
  expect(email.safeParse(typed).success).toBe(false);
});

test('a letter that lower-cases to two characters is not mistaken for the letter it resembles', () => {
  expect(normalizeEmail('load-0777@mİnitickets.example')).not.toBe('load-0777@minitickets.example');
});
