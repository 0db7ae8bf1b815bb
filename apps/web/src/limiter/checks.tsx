import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Card } from '../interface/card.tsx';
import { Icon } from '../interface/icon.tsx';
import type { Mismatch } from './bucket-model.ts';
import type { Summary } from './drive.ts';

/** What came of a comparison: `none` while there is nothing to compare. */
type Verdict = 'agrees' | 'differs' | 'none';

const verdictOf = (compared: boolean, agrees: boolean): Verdict =>
  compared ? (agrees ? 'agrees' : 'differs') : 'none';

/** Whether what the server said agrees with what this page computed from its earlier answers. */
export function Checks({ summary }: { summary: Summary }) {
  const { shared, servable, checked, mismatches, limitChanges } = summary;
  const latest = mismatches.at(-1);
  const total = verdictOf(servable !== undefined && shared.decided > 0, shared.tokens <= (servable ?? 0));
  return (
    <Card title="Checked against the server">
      <ul className="space-y-3">
        <Check verdict={total}>
          {total === 'none' ? (
            limitChanges > 0 ? (
              'The limit was changed meanwhile, so the total is not compared.'
            ) : (
              'Nothing to compare yet. Capacity plus refill is the most that all tasks together may give; the first answers tell both.'
            )
          ) : (
            <>
              <strong>
                {shared.tokens} {shared.tokens === 1 ? 'token' : 'tokens'} spent
              </strong>
              , and one shared bucket could give at most {servable} in that time.
            </>
          )}
        </Check>
        <Check verdict={verdictOf(checked > 0, mismatches.length === 0)}>
          {latest ? (
            <>
              <strong>
                {mismatches.length === 20 ? 'At least 20' : mismatches.length} of {checked} answers differ.
              </strong>{' '}
              {mismatchWords(latest)}
            </>
          ) : checked === 0 ? (
            'Nothing to compare yet. From the second burst on each answer is compared with the bucket as this page computes it from the ones before.'
          ) : (
            <>
              <strong>
                {checked} {checked === 1 ? 'answer' : 'answers'}
              </strong>{' '}
              compared with the bucket as this page computes it from the ones before; none differs.
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

function mismatchWords({ kind, expected, said }: Mismatch): string {
  const numbers = `The last one said ${count(said.least)} tokens where ${count(kind === 'less' ? expected.least : expected.most)} were ${kind === 'less' ? 'the least' : 'the most'} expected.`;
  return kind === 'less'
    ? `${numbers} Somebody else spends from this bucket: another tab, or another computer behind the same address.`
    : `${numbers} That should not happen.`;
}

const count = (tokens: number) => tokens.toFixed(1);

/** The same requests, one shared bucket against a bucket in each process. */
export function PerProcessColumn({ summary }: { summary: Summary }) {
  const { shared, perProcess } = summary;
  return (
    <Card title="Had each process its own limiter">
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
        The first bar is what happened. The second is arithmetic on the same {shared.decided} requests, not a
        measurement: the same limit, with a bucket of its own in every task that answered.
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
