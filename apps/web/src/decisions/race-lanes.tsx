import { clsx } from 'clsx';
import type { ShownRace } from './content.ts';
import { numbered } from './numbered.ts';
import { isWaiting } from './race-steps.ts';

/** Shows every step in its actor's lane, from top to bottom. Clicking a step selects it. */
export function RaceLanes({ race, at, onStep }: { race: ShownRace; at: number; onStep: (at: number) => void }) {
  return (
    <div className="min-w-0">
      <div className="grid grid-cols-2 gap-2 pb-2">
        {race.actors.map(({ name, what }, lane) => (
          <div key={name} className="flex min-w-0 items-start gap-2">
            <ActorMark name={name} lane={lane} />
            <p className="min-w-0 text-sm">
              <span className="block wrap-anywhere">{what}</span>
              <span className={clsx('font-semibold', isWaiting(race, at, name) ? 'text-warn' : 'text-muted')}>
                {isWaiting(race, at, name) ? 'blocked' : 'not blocked'}
              </span>
            </p>
          </div>
        ))}
      </div>
      <ol className="space-y-1.5">
        {numbered(race.steps).map(({ item: step, index }) => {
          const lane = race.actors.findIndex(({ name }) => name === step.actor);
          const isNow = index === at;
          return (
            <li key={index} className="grid grid-cols-2 gap-2">
              <button
                type="button"
                aria-current={isNow ? 'step' : undefined}
                onClick={() => onStep(index)}
                className={clsx(
                  'min-h-11 rounded-control px-2.5 py-1.5 text-left text-sm',
                  lane === 1 && 'col-start-2',
                  isNow
                    ? 'bg-accent font-semibold text-on-accent'
                    : 'bg-paper text-muted inset-ring inset-ring-line hover:inset-ring-accent',
                  index < at && !isNow && 'text-ink',
                  step.waiting && !isNow && 'inset-ring-warn',
                )}
              >
                <span className="sr-only">{step.actor} </span>
                {step.what}
                {step.waiting && <span className="block font-semibold">waits for a lock</span>}
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

export function ActorMark({ name, lane }: { name: string; lane: number }) {
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'grid size-7 shrink-0 place-items-center rounded-full text-sm font-bold',
        lane === 0 ? 'bg-accent text-on-accent' : 'bg-ink text-paper',
      )}
    >
      {name}
    </span>
  );
}
