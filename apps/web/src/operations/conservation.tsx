import type { AuditResult } from '@minitickets/contract';
import { clsx } from 'clsx';
import { useState } from 'react';
import { runAudit } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Icon, type IconName } from '../interface/icon.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { readerTime } from '../words/dates.ts';

/** Runs the conservation check against the database and shows every violation. */
export function Conservation() {
  const [result, setResult] = useState<AuditResult>();
  const auditing = useWrite(runAudit, (found) => {
    setResult(found);
    announce(outcomeWords[found.outcome]);
  });
  return (
    <Card
      title="Conservation check"
      aside={
        <Button look="quiet" busy={auditing.busy} busyText="Checking" onClick={() => auditing.run(undefined)}>
          Check now
        </Button>
      }
    >
      {auditing.problem && <ProblemNotice problem={auditing.problem} action="reading" retry={auditing.retry} />}
      {result ? (
        <Result result={result} />
      ) : (
        <p className="text-muted">
          Inventory, bookings, tickets and money must always add up. The check reads one consistent snapshot of all of
          them and changes nothing.
        </p>
      )}
      <p className="text-sm text-muted">
        From a shell: <code>npm run audit</code>
      </p>
    </Card>
  );
}

type Outcome = AuditResult['outcome'];

const outcomeWords: Record<Outcome, string> = {
  held: 'Every invariant holds.',
  broken: 'An invariant is violated.',
  unchecked: 'Every invariant that was checked holds, but the time limit ended the check early.',
};
const marks: Record<Outcome, { icon: IconName; look: string; words: string }> = {
  held: { icon: 'check', look: 'text-good', words: 'holds' },
  broken: { icon: 'warning', look: 'text-bad', words: 'violated' },
  unchecked: { icon: 'clock', look: 'text-warn', words: 'not checked' },
};

function Result({ result: { outcome, checkedAt, tookMs, verdicts } }: { result: AuditResult }) {
  return (
    <>
      <p>
        <strong className={marks[outcome].look}>{outcomeWords[outcome]}</strong>{' '}
        <span className="text-sm text-muted">
          {readerTime(checkedAt)}, in {tookMs} ms
        </span>
      </p>
      <ul className="space-y-2">
        {verdicts.map((verdict) => (
          <li key={verdict.law} className="flex gap-2.5">
            <span className={clsx('mt-0.5', marks[verdict.outcome].look)}>
              <Icon name={marks[verdict.outcome].icon} />
            </span>
            <div className="min-w-0 grow">
              <p>
                {verdict.law}
                <span className="sr-only">: {marks[verdict.outcome].words}</span>
              </p>
              {verdict.offenders.length > 0 && <Offenders offenders={verdict.offenders} />}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first database rows that violate an invariant. */
function Offenders({ offenders }: { offenders: AuditResult['verdicts'][number]['offenders'] }) {
  return (
    <ol className="mt-1 space-y-1">
      {offenders.map((row) => (
        <li key={JSON.stringify(row)} className="rounded-control bg-bad-soft px-3 py-1.5 text-sm wrap-anywhere">
          {Object.entries(row)
            .map(([name, value]) => `${name} ${value ?? '–'}`)
            .join(', ')}
        </li>
      ))}
    </ol>
  );
}
