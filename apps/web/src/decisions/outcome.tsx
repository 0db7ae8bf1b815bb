import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import type { ReactNode } from 'react';
import { Notice } from '../parts/notice.tsx';
import { readerTime } from '../words/dates.ts';
import { guessSentence, verdictSentences } from './verdict-words.ts';

/** The verdict of a run in words, the reader's guess against it, and when and where it ran. */
export function Outcome({ result, children }: { result: ExperimentResult; children?: ReactNode }) {
  const { proved, reasons, prediction, ranAt, durationMs, machine, stores } = result;
  return (
    <Notice tone={proved ? 'good' : 'bad'} title={proved ? 'Proved' : 'Not proved'}>
      {prediction && <p className="text-lg font-bold">{guessSentence(prediction)}</p>}
      <ul className="space-y-1">
        {verdictSentences(result).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {!proved && reasons.map((reason) => <li key={reason}>{reason}</li>)}
      </ul>
      <p className="text-sm">
        Ran on {readerTime(ranAt)}, for {seconds(durationMs)}, {stores}, on {machine}.
      </p>
      {children}
    </Notice>
  );
}

const seconds = (ms: number) => `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
