import { type ArmResult, type ExperimentResult, inWords } from '@minitickets/decisions/frame/results';
import { armTitle, isShipped, shortNumber } from './arm-panel.tsx';

/** What a run came to, a sentence for each arm. */
export function verdictSentences({ arms }: Pick<ExperimentResult, 'arms'>): string[] {
  const shipped = arms.find(isShipped);
  return arms.map((arm) => (isShipped(arm) ? shippedSentence(arm) : naiveSentence(arm, shipped)));
}

function naiveSentence(arm: ArmResult, shipped: ArmResult | undefined): string {
  const wrong = arm.measures.filter(({ holds }) => !holds);
  const name = armTitle(arm.name);
  if (wrong.length === 0) return `${name} does not fail: it holds all that the shipped design holds.`;
  const found = wrong.map(({ measure, what, found: number }) => {
    const right = shipped?.measures.find((one) => one.measure === measure)?.expected;
    return `${what}: ${shortNumber(number)}${right ? `, and ${inWords(right)} is right` : ''}`;
  });
  return `${name} fails. ${found.map(capital).join('. ')}.`;
}

function shippedSentence(arm: ArmResult): string {
  const wrong = arm.measures.filter(({ holds, asExpected }) => !holds || !asExpected);
  if (wrong.length === 0) return `${armTitle(arm.name)} holds in all that was measured.`;
  const found = wrong.map(
    ({ what, found: number, expected }) => `${what}: ${shortNumber(number)}, stated ${inWords(expected)}`,
  );
  return `${armTitle(arm.name)} does not hold. ${found.map(capital).join('. ')}.`;
}

/**
 * What was guessed before, against what was found.
 * @param own whether who reads it has guessed it
 */
export function guessSentence({ predicted, found }: { predicted: number; found: number }, own: boolean): string {
  const guess = guessWords(predicted, own);
  return predicted === found ? `${guess}, and it is exactly so.` : `${guess}. It was ${shortNumber(found)}.`;
}

/** Who said which number, without a full stop. */
export const guessWords = (predicted: number, own: boolean): string =>
  `${own ? 'You said' : 'The guess was'} ${shortNumber(predicted)}`;

/** How long a run took, and on what. */
export function circumstances({
  durationMs,
  stores,
  machine,
}: Pick<ExperimentResult, 'durationMs' | 'stores' | 'machine'>): string {
  const seconds = Math.max(0.1, Math.round(durationMs / 100) / 10);
  return `It took ${seconds} s. Stores: ${stores}. Machine: ${machine}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
