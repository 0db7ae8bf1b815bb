import type { Difficulty } from '@minitickets/decisions/frame/card';
import { type DecisionSummary, plainText, plainWords } from './content.ts';

export type Wanted = { text: string; difficulty: Difficulty | 'any' };

/** Returns the decisions of a difficulty in whose card every word of the text occurs, in any order and case. */
export function matching(summaries: readonly DecisionSummary[], { text, difficulty }: Wanted): DecisionSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return summaries.filter((one) => {
    if (difficulty !== 'any' && one.difficulty !== difficulty) return false;
    const card = wordsOf(one);
    return words.every((word) => card.includes(word));
  });
}

const wordsOf = ({ name, title, question, alsoKnownAs, inThirtySeconds }: DecisionSummary) =>
  [name, title, plainText(question), plainText(alsoKnownAs), plainWords(inThirtySeconds)].join(' ').toLowerCase();
