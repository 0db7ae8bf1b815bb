import type { Event } from '@minitickets/contract';
import { clsx } from 'clsx';
import { serverClock } from '../api/server-clock.ts';
import { useCountdownEnd, useSecondsLeft } from '../interface/countdown.tsx';
import { type Availability, availabilityOf } from '../words/availability.ts';
import { clockFace, duration } from '../words/durations.ts';

/** A badge for the state of an event's sale. It counts down to the opening and updates when the sale opens. */
export function AvailabilityNote({ event, onOpen }: { event: Event; onOpen?: () => void }) {
  const opensAtMs = Date.parse(event.salesOpenAt);
  const left = useSecondsLeft(opensAtMs);
  useCountdownEnd(left, () => onOpen?.());
  const availability = availabilityOf(event, serverClock.now());
  if (availability.kind === 'sales_not_open') {
    return (
      <span className={clsx(badge, 'bg-accent-soft text-accent tabular-nums')}>
        Opens in {left < 3600 ? clockFace(left) : duration(left)}
      </span>
    );
  }
  return <AvailabilityBadge availability={availability} />;
}

/** @param available replaces "On sale", for a single ticket type */
export function AvailabilityBadge({ availability, available }: { availability: Availability; available?: string }) {
  const [words, look] = describe(availability);
  return <span className={clsx(badge, look)}>{availability.kind === 'available' ? (available ?? words) : words}</span>;
}

const badge = 'inline-block whitespace-nowrap rounded-full px-3 py-0.5 text-sm font-semibold';

function describe(availability: Availability): [words: string, look: string] {
  switch (availability.kind) {
    case 'available':
      return ['On sale', 'bg-good-soft text-good'];
    case 'few_left':
      return [`Only ${availability.tickets} left`, 'bg-warn-soft text-warn'];
    case 'sold_out':
      return ['Sold out', 'bg-sunken text-muted'];
    case 'sales_not_open':
      return ['Not on sale yet', 'bg-accent-soft text-accent'];
    case 'sales_closed':
      return ['Sale closed', 'bg-sunken text-muted'];
    case 'cancelled':
      return ['Cancelled', 'bg-bad-soft text-bad'];
    case 'draft':
      return ['Draft', 'bg-sunken text-muted'];
    case 'nothing_on_offer':
      return ['No tickets yet', 'bg-sunken text-muted'];
  }
}
