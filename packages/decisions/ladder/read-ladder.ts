import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExcerpt, repositoryRoot } from '../frame/shipped-source.ts';
import { type LawName, laws } from './laws.ts';
import { type Rung, rungs } from './rungs.ts';

/** What a reader is asked about a limiter, and told; its texts are Markdown. */
export type LadderStep = Pick<Rung, 'name' | 'file' | 'source'> & {
  title: string;
  question: string;
  answer: string;
  /** The script, without the marks of regions. */
  code: string;
  /** `reason` says why the limiter breaks a law; it keeps those without one. */
  laws: { law: number; text: string; reason?: string }[];
};

export type Ladder = { title: string; question: string; introduction: string; steps: LadderStep[] };

export const ladderFile = 'packages/decisions/ladder/ladder.md';

/** Reads the ladder: its texts from `ladder.md`, everything else from the limiters. @throws if a text is missing or unknown */
export function readLadder(): Ladder {
  const [head = '', ...parts] = readFileSync(join(repositoryRoot, ladderFile), 'utf8').split(/^## /m);
  const title = /^# (.+)$/m.exec(head)?.[1];
  const opening = questioned(head.slice(head.indexOf('\n')));
  if (title === undefined || !opening) throw new Error(`${ladderFile} does not open with a title and a question`);
  const steps = parts.map(stepIn);
  const names = steps.map(({ name }) => name).join();
  const wanted = rungs.map(({ name }) => name).join();
  if (names !== wanted) throw new Error(`${ladderFile} has sections for ${names}; the limiters are ${wanted}`);
  return { title, question: opening.question, introduction: opening.rest, steps };
}

function stepIn(part: string): LadderStep {
  const [, name, title] = /^([\w-]+): (.+)$/m.exec(part) ?? [];
  const asked = questioned(part.slice(part.indexOf('\n')));
  const answer = /^### Answer\n([\s\S]+)$/.exec(asked?.rest ?? '')?.[1]?.trim();
  const rung = rungs.find((one) => one.name === name);
  if (!rung || title === undefined || !asked || !answer) {
    throw new Error(
      `${ladderFile}: "${part.split('\n')[0]}" is not a limiter's name and title, a question and an answer`,
    );
  }
  const lines = readExcerpt(rung).text.split('\n');
  return {
    ...{ name: rung.name, file: rung.file, source: rung.source, title, question: asked.question, answer },
    code: lines.filter((line) => !/^\s*-- #(end)?region\b/.test(line)).join('\n'),
    laws: (Object.entries(laws) as [LawName, (typeof laws)[LawName]][]).map(([law, { law: number, text }]) => {
      const reason = rung.breaks[law];
      return { law: number, text, ...(reason !== undefined && { reason }) };
    }),
  };
}

/** Divides a text into the block quotation that opens it and the rest. */
function questioned(text: string) {
  const [, quotation, rest = ''] = /^\s*((?:>.*\n)+)([\s\S]*)$/.exec(text) ?? [];
  if (quotation === undefined) return undefined;
  return { question: quotation.replaceAll(/^> ?/gm, '').trim().replaceAll('\n', ' '), rest: rest.trim() };
}
