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

/** What a reader said before, against what was found. */
export function guessSentence({ predicted, found }: { predicted: number; found: number }): string {
  if (predicted === found) return `You said ${shortNumber(predicted)}, and it is exactly so.`;
  return `You said ${shortNumber(predicted)}. It was ${shortNumber(found)}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
