import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Excerpt, readExcerpt, repositoryRoot } from './shipped-source.ts';

/** A decision as it is told, in Markdown. */
export type Card = {
  name: string;
  title: string;
  /** As an interviewer asks it. */
  question: string;
  inThirtySeconds: string;
  inDepth: string;
  /** What it costs, and when one would decide otherwise. */
  costs: string;
  counterQuestions: { question: string; answer: string }[];
  /** Lines of the real files, as they are now. */
  code: (Excerpt & { what: string })[];
  commands: string[];
};

export const sections = {
  inThirtySeconds: 'In 30 seconds',
  inDepth: 'In depth',
  costs: 'What it costs',
  counterQuestions: 'What they ask next',
  code: 'In the code',
  commands: 'Run it',
} as const;

export const MOST_WORDS = { inThirtySeconds: 80, inDepth: 400 };

/** Reads the card of a decision. @throws an error that names everything that is missing or too long */
export function readCard(name: string): Card {
  const file = `packages/decisions/${name}/card.md`;
  const path = join(repositoryRoot, file);
  if (!existsSync(path)) throw new Error(`there is no ${file}`);
  const { card, faults } = parseCard(name, readFileSync(path, 'utf8'));
  if (faults.length > 0) throw new Error([`${file}:`, ...faults].join('\n  - '));
  return card;
}

/** The card, and in sentences what is wrong with it. */
export function parseCard(name: string, text: string): { card: Card; faults: string[] } {
  const faults: string[] = [];
  const [head = '', ...parts] = text.split(/^## /m);
  const bodies = new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n')).trim()]),
  );
  const bodyOf = (section: keyof typeof sections) => {
    const body = bodies.get(sections[section]) ?? '';
    if (body === '') faults.push(`the section "${sections[section]}" is missing`);
    return body;
  };
  const known: string[] = Object.values(sections);
  faults.push(...[...bodies.keys()].filter((title) => !known.includes(title)).map((title) => `what is "${title}"?`));

  const title = /^# (.+)$/m.exec(head)?.[1] ?? '';
  const question = [...head.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line).join(' ');
  if (title === '') faults.push('it has no title');
  if (question === '') faults.push('it has no question, which is a quotation below the title');

  const card: Card = {
    ...{ name, title, question },
    inThirtySeconds: bodyOf('inThirtySeconds'),
    inDepth: bodyOf('inDepth'),
    costs: bodyOf('costs'),
    counterQuestions: questionsIn(bodyOf('counterQuestions')),
    code: [],
    commands: commandsIn(bodyOf('commands')),
  };
  for (const section of ['inThirtySeconds', 'inDepth'] as const) {
    const words = wordsIn(card[section]);
    if (words > MOST_WORDS[section]) {
      faults.push(`"${sections[section]}" has ${words} words, at most ${MOST_WORDS[section]} are allowed`);
    }
  }
  const asked = card.counterQuestions.length;
  if (asked < 3 || asked > 5) faults.push(`it answers ${asked} counter-questions, not three to five`);
  if (card.counterQuestions.some(({ answer }) => answer === '')) faults.push('a counter-question has no answer');
  card.code.push(...codeIn(name, bodyOf('code'), faults));
  faults.push(...faultsOfCommands(name, card.commands), ...brokenLinks(name, text));
  return { card, faults };
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

function questionsIn(body: string) {
  return body
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [question = '', ...answer] = part.split('\n');
      return { question: question.trim(), answer: answer.join('\n').trim() };
    });
}

const commandsIn = (body: string) =>
  [...body.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, lines = '']) =>
    lines.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  );

/** Each item of the list is a link to a region of a file, and what that region does. */
function codeIn(name: string, body: string, faults: string[]): Card['code'] {
  const items = [...body.matchAll(/^- \[[^\]]+\]\(([^)#\s]+)#([\w-]+)\):? ([\s\S]*?)(?=\n- |$(?![\s\S]))/gm)];
  if (items.length < body.split(/^- /m).length - 1)
    faults.push(`"${sections.code}" has an item that links to no region`);
  if (items.length === 0) faults.push(`"${sections.code}" shows no lines`);
  return items.flatMap(([, target = '', region = '', what = '']) => {
    try {
      return [{ ...readExcerpt({ file: fileOf(name, target), region }), what: what.trim() }];
    } catch (error) {
      faults.push((error as Error).message);
      return [];
    }
  });
}

const fileOf = (name: string, target: string) => normalize(join('packages/decisions', name, target));

function faultsOfCommands(name: string, commands: string[]) {
  const own = `npm run experiment -- ${name}`;
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  const faults = commands.flatMap((command) => {
    const script = /^npm (?:run )?([\w:-]+)/.exec(command)?.[1];
    return script !== undefined && script in scripts ? [] : [`"${command}" is no command of this repository`];
  });
  return commands.includes(own) ? faults : [...faults, `"${sections.commands}" does not say ${own}`];
}

const brokenLinks = (name: string, text: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(join(repositoryRoot, dirname(fileOf(name, 'card.md')), target)))
    .map((target) => `${target} leads nowhere`);
