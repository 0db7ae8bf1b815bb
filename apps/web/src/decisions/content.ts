import type { DifferenceReport } from '@minitickets/decisions/frame/difference';
import type { Race, RaceStep } from '@minitickets/decisions/frame/interleaving/race';
import type { Expectation } from '@minitickets/decisions/frame/results';

/** Text inside of a paragraph. `to` of a link is an address of these pages or of the web; a `file` is one of the repository. */
export type Phrase =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'emphasis' | 'strong'; of: Phrase[] }
  | { kind: 'link'; to: string; of: Phrase[] }
  | { kind: 'file'; path: string; of: Phrase[] };

export type Block =
  | { kind: 'paragraph'; of: Phrase[] }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'code'; lines: CodeLine[] };

/** A piece of a line, and what it is to the language: `keyword`, `string`, … */
export type CodeToken = [text: string, kind?: string];
export type CodeLine = CodeToken[];

/** Lines of the shipped sources, as they were when the pages were built. `firstLine` counts from 1. */
export type ShownCode = { file: string; region: string; firstLine: number; lines: CodeLine[]; what: Phrase[] };

export type ShownArm = {
  name: string;
  what: string;
  /** By the names of the measures. */
  expected: Record<string, Expectation>;
  /** None of the shipped arm. */
  differences: DifferenceReport[];
};

export type ShownStep = Omit<RaceStep, 'statement'> & {
  /** The statement or script, none if the step is not one. */
  statement: CodeLine[];
};
export type ShownRace = Omit<Race, 'steps'> & { steps: ShownStep[] };

/** What the list of decisions says of one. */
export type DecisionSummary = { name: string; title: string; question: Phrase[] };

/** One decision, as the build read it from its room. */
export type Decision = DecisionSummary & {
  alsoKnownAs: Phrase[];
  inThirtySeconds: Block[];
  inDepth: Block[];
  costs: Block[];
  counterQuestions: { question: Phrase[]; answer: Block[] }[];
  code: ShownCode[];
  commands: string[];
  claim: string;
  load: string;
  measures: Record<string, string>;
  prediction: { question: string; arm: string; measure: string };
  /** The naive arms, then the shipped one. */
  arms: ShownArm[];
  /** Recorded ones, to step through. Most decisions have none. */
  races: ShownRace[];
};

/** The words of a text without its markup. */
export const plainText = (phrases: readonly Phrase[]): string =>
  phrases.map((phrase) => ('text' in phrase ? phrase.text : plainText(phrase.of))).join('');
