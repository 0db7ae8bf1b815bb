import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Excerpt, readExcerpt, repositoryRoot } from './shipped-source.ts';

export const difficulties = ['easy', 'medium', 'hard'] as const;

/** How much a reader has to know beforehand: the naive answer's fault is plain, takes thought, or takes several ideas at once. */
export type Difficulty = (typeof difficulties)[number];

/** A decision's card; its texts are Markdown. */
export type Card = {
  name: string;
  title: string;
  /** The standard names of the anomaly or pattern, by which other sources discuss it. */
  alsoKnownAs: string;
  /** As an interviewer asks it. */
  question: string;
  difficulty: Difficulty;
  /** What the interviewer adds to the question: a list of what a good answer has to respect. */
  constraints: string;
  inThirtySeconds: string;
  inDepth: string;
  /** The costs, and when to decide otherwise. */
  costs: string;
  counterQuestions: { question: string; answer: string }[];
  /** Excerpts of the real files, read when the card is read. */
  code: (Excerpt & { what: string })[];
  /** The chapters, papers and manuals that treat it, by title; last, where its cost is measured here. */
  theory: string;
  commands: string[];
};

export const sections = {
  constraints: 'Constraints',
  inThirtySeconds: 'In 30 seconds',
  inDepth: 'In depth',
  costs: 'What it costs',
  counterQuestions: 'What they ask next',
  code: 'In the code',
  theory: 'Theory and measurements',
  commands: 'Run it',
} as const;

export const MAX_WORDS = { inThirtySeconds: 80, inDepth: 400 };

/** Reads the card of a decision. @throws an error that names every fault of the card at once */
export function readCard(name: string): Card {
  const file = `packages/decisions/${name}/card.md`;
  const path = join(repositoryRoot, file);
  if (!existsSync(path)) throw new Error(`there is no ${file}`);
  const { card, faults } = parseCard(name, readFileSync(path, 'utf8'));
  if (faults.length > 0) throw new Error([`${file}:`, ...faults].join('\n  - '));
  return card;
}

/** Parses a card. `faults` has a sentence for each thing that is missing, too long or broken. */
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
  faults.push(
    ...[...bodies.keys()].filter((title) => !known.includes(title)).map((title) => `the section "${title}" is unknown`),
  );

  const title = /^# (.+)$/m.exec(head)?.[1] ?? '';
  const question = [...head.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line).join(' ');
  const alsoKnownAs = /^Also known as (\S[\s\S]*?)(?:\n\n|$(?![\s\S]))/m.exec(head)?.[1]?.trim() ?? '';
  if (title === '') faults.push('it has no title');
  if (alsoKnownAs === '')
    faults.push('it does not open with "Also known as …", the standard names of its anomaly or pattern');
  if (question === '') faults.push('it has no question, which is a block quotation above the first section');
  const stated = /^Difficulty: (\S+)$/m.exec(head)?.[1];
  const difficulty = difficulties.find((one) => one === stated);
  if (difficulty === undefined)
    faults.push(`it states no difficulty, which is a line "Difficulty: …" with ${difficulties.join(', ')}`);

  const card: Card = {
    ...{ name, title, alsoKnownAs, question, difficulty: difficulty ?? 'medium' },
    constraints: bodyOf('constraints'),
    inThirtySeconds: bodyOf('inThirtySeconds'),
    inDepth: bodyOf('inDepth'),
    costs: bodyOf('costs'),
    counterQuestions: questionsIn(bodyOf('counterQuestions')),
    code: [],
    theory: bodyOf('theory'),
    commands: commandsIn(bodyOf('commands')),
  };
  for (const section of ['inThirtySeconds', 'inDepth'] as const) {
    const words = wordsIn(card[section]);
    if (words > MAX_WORDS[section]) {
      faults.push(`"${sections[section]}" has ${words} words, at most ${MAX_WORDS[section]} are allowed`);
    }
  }
  const constraints = card.constraints.split(/^- /m).length - 1;
  if (constraints < 2 || constraints > 4 || !card.constraints.startsWith('- '))
    faults.push(`"${sections.constraints}" is not a list of two to four items`);
  const asked = card.counterQuestions.length;
  if (asked < 3 || asked > 5) faults.push(`it answers ${asked} follow-up questions instead of three to five`);
  if (card.counterQuestions.some(({ answer }) => answer === '')) faults.push('a follow-up question has no answer');
  if (!/^- (?!Measured here: )[\s\S]*^- Measured here: (?![\s\S]*^- )/m.test(card.theory))
    faults.push(`"${sections.theory}" does not list sources and, last, an item "Measured here: …"`);
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

/** Reads a list whose items link to a region of a file and say what it does. */
function codeIn(name: string, body: string, faults: string[]): Card['code'] {
  const items = [...body.matchAll(/^- \[[^\]]+\]\(([^)#\s]+)#([\w-]+)\):? ([\s\S]*?)(?=\n- |$(?![\s\S]))/gm)];
  if (items.length < body.split(/^- /m).length - 1)
    faults.push(`"${sections.code}" has an item without a link to a region`);
  if (items.length === 0) faults.push(`"${sections.code}" lists no code`);
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
    return script !== undefined && script in scripts ? [] : [`"${command}" is not a command of this repository`];
  });
  return commands.includes(own) ? faults : [...faults, `"${sections.commands}" does not list ${own}`];
}

const brokenLinks = (name: string, text: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(join(repositoryRoot, dirname(fileOf(name, 'card.md')), target)))
    .map((target) => `${target} does not exist`);
