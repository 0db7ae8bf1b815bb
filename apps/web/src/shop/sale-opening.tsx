import type { Event } from '@minitickets/contract';
import { useSpokenCountdown } from '../interface/countdown.tsx';
import { readerTime } from '../words/dates.ts';
import { duration } from '../words/durations.ts';
import { price } from '../words/money.ts';

/** Counts down to the opening of a sale. */
export function SaleOpening({ event, secondsLeft }: { event: Event; secondsLeft: number }) {
  useSpokenCountdown(secondsLeft, (time) => `The sale opens in ${time}.`);
  return (
    <section aria-labelledby="opening" className="space-y-4 rounded-card bg-accent-soft p-6">
      <div>
        <h2 id="opening" className="font-semibold text-accent">
          The sale opens in
        </h2>
        <p role="timer" className="text-4xl font-bold tabular-nums">
          {duration(secondsLeft)}
        </p>
        <p className="text-muted">
          {readerTime(event.salesOpenAt)} your time. Keep this page open: the sale starts here by itself, and reloading
          gives you no advantage.
        </p>
      </div>
      <ul className="divide-y divide-line border-t border-line">
        {event.ticketTypes.map((type) => (
          <li key={type.id} className="flex justify-between gap-4 py-2">
            <span>{type.name}</span>
            <span className="font-semibold">{price(type.priceMinor, type.currency)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
