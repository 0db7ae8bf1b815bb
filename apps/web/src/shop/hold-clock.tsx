import type { Booking } from '@minitickets/contract';
import { clsx } from 'clsx';
import type { CSSProperties } from 'react';
import { useSpokenCountdown } from '../interface/countdown.tsx';
import { clockFace } from '../words/durations.ts';

/** From this many seconds down, the clock is shown as urgent. */
const urgentSeconds = 60;

/** Counts down how long the tickets are held: visible every second, announced to screen readers at a few marks. */
export function HoldClock({ booking, secondsLeft }: { booking: Booking; secondsLeft: number }) {
  useSpokenCountdown(secondsLeft, (time) => `Your tickets are held for ${time} more.`);
  const urgent = secondsLeft <= urgentSeconds;
  const durationMs = Date.parse(booking.holdExpiresAt) - Date.parse(booking.createdAt);
  const share = durationMs > 0 ? Math.min(1, (secondsLeft * 1000) / durationMs) : 0;
  return (
    <section
      aria-labelledby="hold"
      className={clsx('space-y-3 rounded-card p-5', urgent ? 'bg-warn-soft' : 'bg-accent-soft')}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-6">
        <h2 id="hold" className={clsx('text-lg font-semibold', urgent ? 'text-warn' : 'text-accent')}>
          Your tickets are held for
        </h2>
        <p role="timer" className="text-4xl font-bold tabular-nums">
          {clockFace(secondsLeft)}
        </p>
      </div>
      <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-surface">
        <div
          className={clsx(
            'h-full origin-left scale-x-(--share) rounded-full transition-transform duration-1000 ease-linear',
            urgent ? 'bg-warn' : 'bg-accent',
          )}
          style={{ '--share': share } as CSSProperties}
        />
      </div>
      <p>Nobody else can buy them until then. You can reload, go back or open another tab without losing them.</p>
    </section>
  );
}
