import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { experiments } from '@minitickets/decisions/experiments';
import { readCard } from '@minitickets/decisions/frame/card';
import { reportDifferences } from '@minitickets/decisions/frame/difference';
import type { Experiment } from '@minitickets/decisions/frame/experiment';
import type { RaceFile } from '@minitickets/decisions/frame/interleaving/race';
import { repositoryRoot } from '@minitickets/decisions/frame/shipped-source';
import { readLadder } from '@minitickets/decisions/ladder/read-ladder';
import type { Decision, Ladder, ShownRace } from '../src/decisions/content.ts';
import { highlighted } from './highlight.ts';
import { readMarkdown, readPhrases } from './markdown.ts';

// A separate process, like `npm run experiment`, because the experiments import the whole API in TypeScript. It prints all
// decisions and the ladder as JSON, and fails with a message if a card or a region is incomplete.
try {
  process.stdout.write(JSON.stringify({ decisions: experiments.map(decisionOf), ladder: ladderOf() }));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

function decisionOf({ name, claim, load, measures, prediction, naive, shipped }: Experiment): Decision {
  const card = readCard(name);
  const room = `packages/decisions/${name}`;
  return {
    ...{ name, title: card.title, question: readPhrases(card.question, room), commands: card.commands },
    difficulty: card.difficulty,
    constraints: readMarkdown(card.constraints, room),
    alsoKnownAs: readPhrases(card.alsoKnownAs, room),
    inThirtySeconds: readMarkdown(card.inThirtySeconds, room),
    inDepth: readMarkdown(card.inDepth, room),
    costs: readMarkdown(card.costs, room),
    counterQuestions: card.counterQuestions.map(({ question, answer }) => ({
      question: readPhrases(question, room),
      answer: readMarkdown(answer, room),
    })),
    code: card.code.map(({ file, region = '', firstLine, text, what }) => ({
      ...{ file, region, firstLine },
      lines: highlighted(text, extname(file).slice(1)),
      what: readPhrases(what, room),
    })),
    theory: readMarkdown(card.theory, room),
    ...{ claim, load, measures, prediction },
    arms: [...naive, shipped].map(({ name: armName, what, expected, differences }) => ({
      ...{ name: armName, what, expected },
      differences: reportDifferences(differences),
    })),
    races: racesOf(room),
  };
}

function ladderOf(): Ladder {
  const room = 'packages/decisions/ladder';
  const { title, question, introduction, steps } = readLadder();
  return {
    title,
    question: readPhrases(question, room),
    introduction: readMarkdown(introduction, room),
    steps: steps.map(({ code, ...step }) => ({
      ...step,
      question: readPhrases(step.question, room),
      answer: readMarkdown(step.answer, room),
      lines: highlighted(code, 'lua'),
    })),
  };
}

/** Returns the recorded races of a decision, if any. */
function racesOf(room: string): ShownRace[] {
  const file = join(repositoryRoot, room, 'race.json');
  if (!existsSync(file)) return [];
  const { races }: RaceFile = JSON.parse(readFileSync(file, 'utf8'));
  return races.map((race) => ({
    ...race,
    steps: race.steps.map(({ statement, ...step }) => ({
      ...step,
      statement: statement === undefined ? [] : highlighted(statement, statement.startsWith('EVALSHA') ? 'lua' : 'sql'),
    })),
  }));
}
