import { type ArmResult, type ExperimentResult, inWords } from '@minitickets/decisions/frame/results';
import { armTitle, isShipped, shortNumber } from './arm-panel.tsx';

/** Returns the verdict of a run, one sentence per arm. */
export function verdictSentences({ arms }: Pick<ExperimentResult, 'arms'>): string[] {
  const shipped = arms.find(isShipped);
  return arms.map((arm) => (isShipped(arm) ? shippedSentence(arm) : naiveSentence(arm, shipped)));
}

function naiveSentence(arm: ArmResult, shipped: ArmResult | undefined): string {
  const wrong = arm.measures.filter(({ holds }) => !holds);
  const name = armTitle(arm.name);
  if (wrong.length === 0) return `${name} does not fail: it is correct in every measure, like the shipped design.`;
  const found = wrong.map(({ measure, what, found: number }) => {
    const right = shipped?.measures.find((one) => one.measure === measure)?.expected;
    return `${what}: ${shortNumber(number)}${right ? ` instead of ${inWords(right)}` : ''}`;
  });
  return `${name} fails. ${found.map(capital).join('. ')}.`;
}

function shippedSentence(arm: ArmResult): string {
  const wrong = arm.measures.filter(({ holds, asExpected }) => !holds || !asExpected);
  if (wrong.length === 0) return `${armTitle(arm.name)} is correct in every measure.`;
  const found = wrong.map(
    ({ what, found: number, expected }) => `${what}: ${shortNumber(number)} instead of ${inWords(expected)}`,
  );
  return `${armTitle(arm.name)} fails. ${found.map(capital).join('. ')}.`;
}

/**
 * Compares a guess with the measured value.
 * @param own whether this reader made the guess
 */
export function guessSentence({ predicted, found }: { predicted: number; found: number }, own: boolean): string {
  const guess = guessWords(predicted, own);
  return predicted === found ? `${guess}, which is exactly right.` : `${guess}. It was ${shortNumber(found)}.`;
}

/** Returns who guessed which number, without a full stop. */
export const guessWords = (predicted: number, own: boolean): string =>
  `${own ? 'You guessed' : 'The guess was'} ${shortNumber(predicted)}`;

/** Describes how long a run took and on which stores and machine. */
export function circumstances({
  durationMs,
  stores,
  machine,
}: Pick<ExperimentResult, 'durationMs' | 'stores' | 'machine'>): string {
  const seconds = Math.max(0.1, Math.round(durationMs / 100) / 10);
  return `It took ${seconds} s. Stores: ${stores}. Machine: ${machine}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
