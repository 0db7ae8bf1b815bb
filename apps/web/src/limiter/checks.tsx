import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Card } from '../interface/card.tsx';
import { Icon } from '../interface/icon.tsx';
import type { Mismatch } from './bucket-model.ts';
import type { Summary } from './drive.ts';

/** The outcome of a check: `none` while there is no data. */
type Verdict = 'agrees' | 'differs' | 'none';

const verdictOf = (hasData: boolean, agrees: boolean): Verdict => (hasData ? (agrees ? 'agrees' : 'differs') : 'none');

/** Checks the server's responses against the bucket that this page computes from earlier responses. */
export function Checks({ summary }: { summary: Summary }) {
  const { shared, maxGranted, checked, mismatches } = summary;
  const latest = mismatches.at(-1);
  const total = verdictOf(maxGranted !== undefined && shared.decided > 0, shared.tokens <= (maxGranted ?? 0));
  return (
    <Card title="Consistency checks">
      <ul className="space-y-3">
        <Check verdict={total}>
          {total === 'none' ? (
            'No data yet. Together, all tasks may grant at most capacity + rate × time; the first responses report both.'
          ) : (
            <>
              <strong>
                {shared.tokens} {shared.tokens === 1 ? 'token' : 'tokens'} spent
              </strong>
              ; one shared bucket can grant at most {maxGranted} in that time.
            </>
          )}
        </Check>
        <Check verdict={verdictOf(checked > 0, mismatches.length === 0)}>
          {latest ? (
            <>
              <strong>
                {mismatches.length === 20 ? 'At least 20' : mismatches.length} of {checked} responses differ.
              </strong>{' '}
              {mismatchWords(latest)}
            </>
          ) : checked === 0 ? (
            'No data yet. From the second burst on, each response is compared with the token count that this page computes from earlier responses.'
          ) : (
            <>
              <strong>
                {checked} {checked === 1 ? 'response' : 'responses'}
              </strong>{' '}
              compared with the computed token count; none differs.
            </>
          )}
        </Check>
      </ul>
    </Card>
  );
}

const marks = {
  agrees: { look: 'text-good', icon: 'check' },
  differs: { look: 'text-bad', icon: 'warning' },
  none: { look: 'text-muted', icon: 'info' },
} as const;

function Check({ verdict, children }: { verdict: Verdict; children: ReactNode }) {
  const { look, icon } = marks[verdict];
  return (
    <li className="flex gap-2.5">
      <span className={clsx('mt-0.5', look)} data-verdict={verdict}>
        <Icon name={icon} />
      </span>
      <p>{children}</p>
    </li>
  );
}

function mismatchWords({ kind, expected, reported }: Mismatch): string {
  const numbers = `The last one reported ${count(reported.min)} tokens; expected ${kind === 'less' ? 'at least' : 'at most'} ${count(kind === 'less' ? expected.min : expected.max)}.`;
  return kind === 'less'
    ? `${numbers} Another client spends from this bucket: another tab, or another computer behind the same address.`
    : `${numbers} That should not happen.`;
}

const count = (tokens: number) => tokens.toFixed(1);

/** Compares one shared bucket with a separate bucket per process, for the same requests. */
export function PerProcessColumn({ summary }: { summary: Summary }) {
  const { shared, perProcess } = summary;
  return (
    <Card title="With one limiter per process">
      <div className="space-y-2">
        <Bar words="Served by the shared limiter" value={shared.served} of={shared.decided} look="bg-good" />
        <Bar
          words={`Let through by ${perProcess.tasks === 0 ? 'separate limiters' : `${perProcess.tasks} separate ${perProcess.tasks === 1 ? 'limiter' : 'limiters'}`}`}
          value={perProcess.served}
          of={shared.decided}
          look="bg-bad"
        />
      </div>
      <p className="text-sm text-muted">
        The first bar is measured. The second is computed for the same {shared.decided} requests: the same limit, but a
        separate bucket in every task that responded.
      </p>
    </Card>
  );
}

function Bar({ words, value, of, look }: { words: string; value: number; of: number; look: string }) {
  const share = of === 0 ? 0 : value / of;
  return (
    <div>
      <p className="flex justify-between gap-3">
        <span>{words}</span>
        <span className="font-bold tabular-nums">{value}</span>
      </p>
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
        <div
          className={clsx('h-full origin-left scale-x-(--share) rounded-full', look)}
          style={{ '--share': share } as React.CSSProperties}
        />
      </div>
    </div>
  );
}
