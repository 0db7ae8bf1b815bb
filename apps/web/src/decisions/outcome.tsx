import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type { ReactNode } from 'react';
import { Notice } from '../interface/notice.tsx';
import { readerTime } from '../words/dates.ts';
import { circumstances, guessSentence, verdictSentences } from './verdict-words.ts';

/** The verdict of a run in words, the guess compared with it, and when and where it ran. */
export function Outcome({
  result,
  own = false,
  children,
}: {
  result: ExperimentResult;
  /** Whether this reader started the run. */
  own?: boolean;
  children?: ReactNode;
}) {
  const { proved, reasons, prediction, ranAt } = result;
  return (
    <Notice tone={proved ? 'good' : 'bad'} title={proved ? 'Proved' : 'Not proved'}>
      {prediction && <p className="text-lg font-bold">{guessSentence(prediction, own)}</p>}
      <ul className="space-y-1">
        {verdictSentences(result).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {!proved && reasons.map((reason) => <li key={reason}>{reason}</li>)}
      </ul>
      <p className="text-sm">
        Run on {readerTime(ranAt)}. {circumstances(result)}
      </p>
      {children}
    </Notice>
  );
}
