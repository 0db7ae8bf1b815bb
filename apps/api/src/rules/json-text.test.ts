import { expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);

test.each([
  '{"name":"März 東京 👨‍👩‍👧"}',
  '{"name":"\\u00e4"}',
  '{"name":"\\ud83d\\uDE00"}',
  '{"name":"an escaped backslash: \\\\ud800"}',
  '{}',
])('UTF-8 is decoded unchanged: %s', (text) => {
  for (const type of [
    undefined,
    'application/json',
    'application/json; charset=UTF-8',
    'application/json;charset="utf8"',
  ])
    expect(jsonText(bytes(text), type)).toBe(text);
});

test('a byte order mark is not part of the text', () => {
  expect(jsonText(bytes('\ufeff{}'))).toBe('{}');
});

test.each([
  ['Latin-1', bytes('{"name":"März"}', 'latin1')],
  ['a cut character', bytes('{"name":"ä').subarray(0, -1)],
  ['an encoded surrogate', bytes('22eda08022', 'hex')],
  ['an overlong form', bytes('22c0af22', 'hex')],
  ['UTF-16', bytes('{"name":"M"}', 'utf16le').subarray(0, 3).fill(0xff)],
])('%s is refused', (_what, body) => {
  expect(() => jsonText(body)).toThrow('malformed');
});

test.each([
  '"\\ud800"',
  '"\\udc00"',
  '"\\uDC00\\uD800"',
  '"\\ud83d \\ude00"',
  '"\\ud83d\\ud83d\\ude00"',
  '"\\\\\\ud800"',
  '{"\\udfff":1}',
])('half a surrogate pair is refused: %s', (text) => {
  expect(() => jsonText(bytes(text))).toThrow('malformed');
});

test.each(['iso-8859-1', 'utf-16', 'x', ''])('the charset %j is refused', (charset) => {
  expect(() => jsonText(bytes('{}'), `application/json; charset=${charset}`)).toThrow('malformed');
});
