import { armTitle } from './arm-panel.tsx';
import type { ShownRace } from './content.ts';
import { numbered } from './numbered.ts';
import { lockWords, rowAt, stepSentence } from './race-steps.ts';

/** All steps of all races as lists, for readers without JavaScript. */
export function RaceTranscripts({ races }: { races: readonly ShownRace[] }) {
  return (
    <div className="space-y-6">
      {races.map((race) => (
        <div key={race.arm} className="max-w-3xl space-y-2">
          <h3 className="font-bold">{armTitle(race.arm)}</h3>
          <p>
            {race.title}. {race.actors.map(({ name, what }) => `${name} ${what}`).join('; ')}.
          </p>
          <ol className="list-decimal space-y-2 pl-6">
            {numbered(race.steps).map(({ item: step, index }) => (
              <li key={index}>
                {stepSentence(step)}{' '}
                <span className="text-sm text-muted">
                  Committed state:{' '}
                  {rowAt(race, index)
                    .map(({ name, value }) => `${name} ${value}`)
                    .join(', ')}
                  .{step.locks.map((lock) => ` ${lock.actor} ${lockWords(lock).words}.`).join('')}
                </span>
              </li>
            ))}
          </ol>
          <p>
            <span className="text-muted">Outcome: </span>
            <strong>{race.ending}</strong>
          </p>
        </div>
      ))}
    </div>
  );
}
