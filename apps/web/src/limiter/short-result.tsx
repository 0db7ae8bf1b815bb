import { useEffect, useRef } from 'react';
import { createFrames } from '../drawing/frames.ts';
import type { Drive, Summary } from './drive.ts';
import { gaugeText } from './scene.tsx';

/** Summarises a burst in one line beside the buttons, because on a narrow page the chart is out of sight below. */
export function ShortResult({ drive, summary: { sent, inFlight, counts } }: { drive: Drive; summary: Summary }) {
  const gauge = useRef<HTMLElement>(null);
  useEffect(() => {
    const frames = createFrames(
      (now) => {
        if (gauge.current) gauge.current.textContent = gaugeText(drive.bucket.tokensAt(now));
      },
      (now) => drive.isMoving || now < (drive.bucket.fullAt() ?? 0) + 500,
    );
    const unsubscribe = drive.subscribe(frames.wake);
    frames.wake();
    return () => {
      unsubscribe();
      frames.end();
    };
  }, [drive]);
  return (
    <p className="rounded-control bg-sunken px-3 py-2 tabular-nums lg:hidden">
      {sent} sent: <strong className="text-good">{counts.served}</strong> served,{' '}
      <strong className="text-warn">{counts.throttled + counts.suppressed}</strong> refused
      {counts.unanswered > 0 && `, ${counts.unanswered} failed`}
      {inFlight > 0 && `, ${inFlight} in flight`}. Tokens now: <strong ref={gauge}>–</strong>
    </p>
  );
}
