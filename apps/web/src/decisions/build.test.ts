import { expect, test } from 'vitest';
import { highlighted } from '../../build/highlight.ts';
import { readMarkdown, readPhrases } from '../../build/markdown.ts';
import { withContent, withHead } from '../../build/page-head.ts';
import { plainText } from './content.ts';

const room = 'packages/decisions/double-click';

test('a card keeps its words, emphasis, code and lists', () => {
  expect(readMarkdown('It _is_ `one`\nline.\n\n- first\n- second', room)).toEqual([
    {
      kind: 'paragraph',
      of: [
        { kind: 'text', text: 'It ' },
        { kind: 'emphasis', of: [{ kind: 'text', text: 'is' }] },
        { kind: 'text', text: ' ' },
        { kind: 'code', text: 'one' },
        { kind: 'text', text: ' line.' },
      ],
    },
    {
      ...{ kind: 'list', ordered: false },
      items: [
        [{ kind: 'paragraph', of: [{ kind: 'text', text: 'first' }] }],
        [{ kind: 'paragraph', of: [{ kind: 'text', text: 'second' }] }],
      ],
    },
  ]);
});

test.each([
  ['../never-oversell/card.md', { kind: 'link', to: '/decisions/never-oversell' }],
  ['../never-oversell', { kind: 'link', to: '/decisions/never-oversell' }],
  ['../ladder/ladder.md', { kind: 'link', to: '/decisions/ladder' }],
  ['https://www.rfc-editor.org/rfc/rfc9457', { kind: 'link', to: 'https://www.rfc-editor.org/rfc/rfc9457' }],
  ['../../../docs/locking.md', { kind: 'file', path: 'docs/locking.md' }],
])('a link to %s becomes one that works on the pages', (url, expected) => {
  expect(readPhrases(`[words](${url})`, room)).toMatchObject([expected]);
});

test.each(['<b>bold</b>', '![a picture](picture.png)', '> quoted', '# heading'])(
  '%s in a card fails the build',
  (text) => {
    expect(() => readMarkdown(text, room)).toThrow('cannot show');
  },
);

test('highlighting preserves the code line by line', () => {
  const code = "-- a comment\nlocal left = tonumber('1')\n\nreturn left";
  const lines = highlighted(code, 'lua');
  expect(lines.map((line) => line.map(([text]) => text).join('')).join('\n')).toBe(code);
  expect(lines[0]).toEqual([['-- a comment', 'comment']]);
});

test('a multi-line comment is highlighted on each of its lines', () => {
  const lines = highlighted('/* one\n two */\nconst a = 1;', 'ts');
  expect(lines.slice(0, 2).map(([first]) => first?.[1])).toEqual(['comment', 'comment']);
});

test('code in an unknown language stays plain', () => {
  expect(highlighted('a\nb', 'haproxy')).toEqual([[['a']], [['b']]]);
});

test('plainText strips the markup', () => {
  expect(plainText(readPhrases('Is `INCR` _really_ [atomic](https://redis.io)?', room))).toBe('Is INCR really atomic?');
});

const shell = `<title>x</title>\n    <meta name="description" content="y" /><div id="root"></div><noscript>z</noscript>`;
const head = { title: 'A "quoted" <title>', description: '$& is no pattern', address: '/decisions' };

test('page metadata is escaped and inserted verbatim', () => {
  const page = withHead(shell, head);
  expect(page).toContain('<title>A &quot;quoted&quot; &lt;title&gt;</title>');
  expect(page).toContain('<meta property="og:description" content="$&amp; is no pattern" />');
  expect(page).toContain('<meta property="og:image" content="%ORIGIN%/share.png" />');
  expect(page).toContain('<link rel="canonical" href="%ORIGIN%/decisions" />');
});

test('an unexpected HTML shell fails the build', () => {
  expect(() => withHead('<title>x</title>', head)).toThrow('index.html has no');
  expect(() => withContent('<div id="app"></div>', '<p>text</p>', 'words')).toThrow('index.html has no');
});
