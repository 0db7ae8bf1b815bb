import type { TicketType } from '@minitickets/contract';
import { Stepper } from '../interface/stepper.tsx';
import { ticketsLeft } from '../words/availability.ts';
import { price } from '../words/money.ts';
import { AvailabilityBadge } from './availability-note.tsx';

/** One ticket type: its price, its availability, and the quantity chosen. */
export function TicketTypeRow({
  type,
  quantity,
  allowance,
  onChange,
}: {
  type: TicketType;
  quantity: number;
  /** How many more tickets this buyer may choose. */
  allowance: number;
  onChange: (quantity: number) => void;
}) {
  const max = quantity + Math.max(0, Math.min(allowance, type.available - quantity));
  const tooMany = quantity > type.available;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-card bg-surface p-4 inset-ring inset-ring-line">
      <div className="space-y-1">
        <h3 className="text-lg font-semibold">{type.name}</h3>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-bold">{price(type.priceMinor, type.currency)}</span>
          <AvailabilityBadge availability={ticketsLeft(type)} available="Available" />
        </p>
      </div>
      {(type.available > 0 || quantity > 0) && (
        <Stepper label={type.name} quantity={quantity} max={max} onChange={onChange} />
      )}
      {tooMany && (
        <p className="w-full text-sm font-medium text-warn">
          {type.available === 0
            ? 'No tickets of this type are available now.'
            : `Only ${type.available} ${type.available === 1 ? 'is' : 'are'} available now: choose fewer.`}
        </p>
      )}
    </li>
  );
}
