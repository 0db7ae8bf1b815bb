import type { Event } from '@minitickets/contract';
import type { CSSProperties } from 'react';

/** Shows how many tickets of each type are taken, that is paid or currently held. */
export function Sales({ ticketTypes }: Pick<Event, 'ticketTypes'>) {
  if (ticketTypes.length === 0) return <p className="text-muted">No ticket types yet.</p>;
  return (
    <ul className="space-y-2">
      {ticketTypes.map(({ id, name, capacity, available }) => {
        const taken = capacity - available;
        return (
          <li key={id}>
            <p className="flex justify-between gap-3">
              <span>{name}</span>
              <span className="whitespace-nowrap tabular-nums">
                <strong>{taken}</strong> of {capacity} taken
              </span>
            </p>
            <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
              <div
                className="h-full origin-left scale-x-(--share) rounded-full bg-accent"
                style={{ '--share': taken / Math.max(1, capacity) } as CSSProperties}
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
