import { clsx } from 'clsx';
import { CodeLines } from './code-lines.tsx';
import type { CodeLine, ShownRace, ShownStep } from './content.ts';
import { numbered } from './numbered.ts';
import { ActorMark } from './race-lanes.tsx';
import { lockWords, rowAt } from './race-steps.ts';

/** More lines than this hide what follows them on a small screen. */
const mostLines = 8;

/** One step of a race: the statement, its answer, and what the store holds then. */
export function RaceStepView({ race, at }: { race: ShownRace; at: number }) {
  const step = race.steps[at] as ShownStep;
  return (
    <div className="min-w-0 space-y-3">
      <div className="flex items-center gap-2">
        <ActorMark name={step.actor} lane={race.actors.findIndex(({ name }) => name === step.actor)} />
        <p className="font-semibold">
          <span className="sr-only">{step.actor} </span>
          {step.what}
        </p>
      </div>
      <Statement lines={step.statement} />
      <p className={clsx('rounded-control px-3 py-2 text-sm', step.waiting ? 'bg-warn-soft text-warn' : 'bg-sunken')}>
        {step.waiting ? (
          <strong>No answer yet: it waits for a lock.</strong>
        ) : (
          <>
            <span className="text-muted">Answer: </span>
            <strong>{step.result ?? 'done'}</strong>
          </>
        )}
      </p>
      <Row race={race} at={at} />
      {race.steps.some(({ locks }) => locks.length > 0) && <Locks step={step} />}
    </div>
  );
}

function Statement({ lines }: { lines: readonly CodeLine[] }) {
  if (lines.length === 0) return null;
  if (lines.length <= mostLines) return <CodeLines lines={lines} />;
  return (
    <>
      <CodeLines lines={lines.slice(0, mostLines)} />
      <details>
        <summary className="text-sm font-medium">{lines.length - mostLines} more lines of it</summary>
        <div className="mt-2">
          <CodeLines lines={lines.slice(mostLines)} />
        </div>
      </details>
    </>
  );
}

function Row({ race, at }: { race: ShownRace; at: number }) {
  return (
    <div className="space-y-1.5">
      <h3 className="text-sm font-semibold text-muted">What everybody can see in the store</h3>
      <dl className="flex flex-wrap gap-2">
        {rowAt(race, at).map(({ name, value, changed }) => (
          <div
            key={name}
            className={clsx(
              'rounded-control px-3 py-1.5 inset-ring',
              changed ? 'bg-accent-soft inset-ring-accent' : 'bg-paper inset-ring-line',
            )}
          >
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="font-bold tabular-nums">
              {value}
              {changed && <span className="sr-only"> (changed)</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** PostgreSQL's own list, which lacks the lock that decides: who has locked a row has it in the row. */
function Locks({ step: { locks } }: { step: ShownStep }) {
  return (
    <div className="space-y-1.5">
      <h3 className="text-sm font-semibold text-muted">Locks</h3>
      {locks.length === 0 && <p className="text-sm">None.</p>}
      <ul className="space-y-1 text-sm">
        {numbered(locks).map(({ item: lock, place }) => {
          const { words, name } = lockWords(lock);
          return (
            <li key={place} className={clsx('wrap-anywhere', !lock.granted && 'font-semibold text-warn')}>
              <strong>{lock.actor}</strong> {words} <span className="font-normal text-muted">({name})</span>
            </li>
          );
        })}
      </ul>
      {locks.length > 0 && (
        <p className="text-sm text-muted">
          As pg_locks lists them. The lock on a row itself is written into the row, so that no list shows it.
        </p>
      )}
    </div>
  );
}
