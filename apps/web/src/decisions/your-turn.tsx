import { type RefObject, useEffect } from 'react';
import { Card } from '../interface/card.tsx';
import { Checkbox } from '../interface/checkbox.tsx';
import { Field } from '../interface/field.tsx';
import { TextArea } from '../interface/text-area.tsx';
import type { Decision } from './content.ts';
import { maxAnswer, own } from './study.ts';
import { study, useStudy } from './use-study.ts';

/** A guess as typed, and whether a run was refused because it is no number. */
export type Guess = { typed: string; isWrong: boolean };

/**
 * Asks for a number and an answer before ours is shown, because readers remember what they tried to predict. The answer is
 * kept in this browser only.
 */
export function YourTurn({
  decision: { name, prediction },
  guess,
  onGuess,
  form,
}: {
  decision: Decision;
  guess: Guess;
  /** Must not change between renders. */
  onGuess: (guess: Guess) => void;
  form: RefObject<HTMLFormElement | null>;
}) {
  const { showAll, decisions } = useStudy();
  useEffect(() => {
    // Typed before the scripts were loaded.
    const typed = new FormData(form.current ?? undefined);
    const [number, answer] = [typed.get('predicted'), typed.get('answer')];
    if (typeof number === 'string' && number !== '') onGuess({ typed: number, isWrong: false });
    if (typeof answer === 'string' && answer !== '') study.answer(name, answer);
  }, [form, name, onGuess]);
  return (
    <Card
      title="Your turn"
      aside={<Checkbox label="Always show answers" checked={showAll} onChange={(all) => study.showAll(all)} />}
    >
      <form ref={form} className="max-w-3xl space-y-4" onSubmit={(submit) => submit.preventDefault()}>
        <Field
          label={`Guess a number. ${prediction.question}`}
          name="predicted"
          inputMode="decimal"
          autoComplete="off"
          hint="The experiment measures it, and compares your guess with the result."
          error={guess.isWrong ? 'Enter a number, such as 20.' : undefined}
          value={guess.typed}
          onChange={(typed) => onGuess({ typed, isWrong: false })}
        />
        <TextArea
          label="Write your answer, as you would say it in 30 seconds"
          name="answer"
          hint="Kept in this browser only."
          maxLength={maxAnswer}
          value={own(decisions, name).answer ?? ''}
          onChange={(answer) => study.answer(name, answer)}
        />
      </form>
    </Card>
  );
}
