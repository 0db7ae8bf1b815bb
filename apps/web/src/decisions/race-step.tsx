import { clsx } from 'clsx';
import { CodeLines } from './code-lines.tsx';
import type { CodeLine, ShownRace, ShownStep } from './content.ts';
import { numbered } from './numbered.ts';
import { ActorMark } from './race-lanes.tsx';
import { lockWords, rowAt } from './race-steps.ts';

/** Longer statements are collapsed, because on a small screen they push the rest out of sight. */
const maxLines = 8;

/** One step of a race: the statement, its result, and the committed state after it. */
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
          <strong>No result yet: waiting for a lock.</strong>
        ) : (
          <>
            <span className="text-muted">Result: </span>
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
  if (lines.length <= maxLines) return <CodeLines lines={lines} />;
  return (
    <>
      <CodeLines lines={lines.slice(0, maxLines)} />
      <details>
        <summary className="text-sm font-medium">{lines.length - maxLines} more lines</summary>
        <div className="mt-2">
          <CodeLines lines={lines.slice(maxLines)} />
        </div>
      </details>
    </>
  );
}

function Row({ race, at }: { race: ShownRace; at: number }) {
  return (
    <div className="space-y-1.5">
      <h3 className="text-sm font-semibold text-muted">Committed state, visible to everyone</h3>
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

/** The locks that pg_locks lists. It lacks the deciding one, because a row lock is stored in the row itself. */
function Locks({ step: { locks } }: { step: ShownStep }) {
  return (
    <div className="space-y-1.5">
      <h3 className="text-sm font-semibold text-muted">Locks</h3>
      {locks.length === 0 && <p className="text-sm">None.</p>}
      <ul className="space-y-1 text-sm">
        {numbered(locks).map(({ item: lock, index }) => {
          const { words, name } = lockWords(lock);
          return (
            <li key={index} className={clsx('wrap-anywhere', !lock.granted && 'font-semibold text-warn')}>
              <strong>{lock.actor}</strong> {words} <span className="font-normal text-muted">({name})</span>
            </li>
          );
        })}
      </ul>
      {locks.length > 0 && (
        <p className="text-sm text-muted">
          As listed by pg_locks. A row lock itself is stored in the row, so pg_locks does not list it.
        </p>
      )}
    </div>
  );
}
