import type { Difficulty } from '@minitickets/decisions/frame/card';
import type { DifferenceReport } from '@minitickets/decisions/frame/difference';
import type { Race, RaceStep } from '@minitickets/decisions/frame/interleaving/race';
import type { Expectation } from '@minitickets/decisions/frame/results';

/** Text inside a paragraph. The `to` of a link is a page here or on the web; a `file` is in the repository. */
export type Phrase =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'emphasis' | 'strong'; of: Phrase[] }
  | { kind: 'link'; to: string; of: Phrase[] }
  | { kind: 'file'; path: string; of: Phrase[] };

export type Block =
  | { kind: 'paragraph'; of: Phrase[] }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'code'; lines: CodeLine[] };

/** A token of a line, with its syntax kind: `keyword`, `string`, … */
export type CodeToken = [text: string, kind?: string];
export type CodeLine = CodeToken[];

/** Lines of the shipped source code at build time. `firstLine` counts from 1. */
export type ShownCode = { file: string; region: string; firstLine: number; lines: CodeLine[]; what: Phrase[] };

export type ShownArm = {
  name: string;
  what: string;
  /** By measure name. */
  expected: Record<string, Expectation>;
  /** Empty for the shipped arm. */
  differences: DifferenceReport[];
};

export type ShownStep = Omit<RaceStep, 'statement'> & {
  /** The statement or script; empty if the step sends none. */
  statement: CodeLine[];
};
export type ShownRace = Omit<Race, 'steps'> & { steps: ShownStep[] };

/** A decision as it appears in the list and on the sheet of answers. */
export type DecisionSummary = {
  name: string;
  title: string;
  question: Phrase[];
  difficulty: Difficulty;
  alsoKnownAs: Phrase[];
  inThirtySeconds: Block[];
};

/** One decision, as the build read it from its folder. */
export type Decision = DecisionSummary & {
  constraints: Block[];
  inDepth: Block[];
  costs: Block[];
  counterQuestions: { question: Phrase[]; answer: Block[] }[];
  code: ShownCode[];
  theory: Block[];
  commands: string[];
  claim: string;
  load: string;
  measures: Record<string, string>;
  prediction: { question: string; arm: string; measure: string };
  /** The naive arms, then the shipped arm. */
  arms: ShownArm[];
  /** Recorded races to step through. Most decisions have none. */
  races: ShownRace[];
};

/** A limiter of the ladder: its question and script, then the answer and which laws it keeps. */
export type LadderStep = {
  name: string;
  title: string;
  file: string;
  /** Who described the algorithm. */
  source: string;
  question: Phrase[];
  lines: CodeLine[];
  answer: Block[];
  /** `reason` says why the limiter breaks a law; it keeps those without one. */
  laws: { law: number; text: string; reason?: string }[];
};
export type Ladder = { title: string; question: Phrase[]; introduction: Block[]; steps: LadderStep[] };

/** Returns the words of blocks, for searching. */
export const plainWords = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((block) => {
      if (block.kind === 'paragraph') return [plainText(block.of)];
      return block.kind === 'list' ? block.items.map(plainWords) : [];
    })
    .join(' ');

/** Returns a text without its markup. */
export const plainText = (phrases: readonly Phrase[]): string =>
  phrases.map((phrase) => ('text' in phrase ? phrase.text : plainText(phrase.of))).join('');
