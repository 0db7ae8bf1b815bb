import type { OnStoreFailure } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type CSSProperties, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { isLabAbsent } from '../api/lab-runs.ts';
import { pauseRedis, redisPauseQuery } from '../api/redis-pauses.ts';
import type { Outcome } from '../drawing/marks.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { observeRequest } from './observe.ts';
import {
  answers,
  countsWhileAway,
  createOutageRun,
  type OutageMark,
  type OutageView,
  pauseSeconds,
  perSecond,
  runMs,
} from './outage-run.ts';

const meaning: Record<OnStoreFailure, string> = {
  closed: 'Requests are refused with 503 at once. Used for log-ins and bookings.',
  open: 'Requests are served without a limit. Used for reads.',
  local: 'Each task enforces its share of the limit in memory. Used for payments and API keys.',
};

/** Pauses Redis for a few seconds and shows side by side how each failure policy responds. */
export function Outage() {
  const [run] = useState(() => createOutageRun(observeRequest, pauseRedis));
  const view = useSyncExternalStore(run.subscribe, run.read);
  const lab = useQuery(redisPauseQuery);
  const { running, phase, problem, marks } = view;
  const refusal = problem ?? lab.error;
  const start = async () => {
    const { isSuccess } = await lab.refetch();
    if (isSuccess) run.start();
  };
  const announceOutcome = useEffectEvent(() => announce(outcomeSentence(marks)));
  useEffect(() => run.end, [run]);
  useEffect(() => {
    if (running && phase === 'away') announce('Redis is paused.');
    if (!running && phase === 'after') announceOutcome();
  }, [phase, running]);
  return (
    <Card
      title="Redis is down: fail open or fail closed?"
      aside={
        <Button
          look="danger"
          busy={running || lab.isFetching}
          busyText={phase === 'away' ? 'Redis is paused' : 'Sending requests'}
          onClick={() => {
            start().catch(() => undefined);
          }}
        >
          Pause Redis for {pauseSeconds} seconds
        </Button>
      }
    >
      <p>
        This sends {perSecond} requests per second to each of three policies with the same limit. They differ only in
        their failure policy, which decides in advance what happens while Redis is down.
      </p>
      {refusal && isLabAbsent(refusal) && (
        <Notice tone="calm" title="Redis cannot be paused without the lab">
          <p>
            The lab, which pauses Redis, is not running. Start the stack with <code>npm start</code>, or stop Redis
            yourself and send requests above.
          </p>
        </Notice>
      )}
      {refusal?.code === 'forbidden' && (
        <Notice tone="calm" title="Redis cannot be paused here">
          <p>
            Others use this stack, and a pause would stop their log-ins and bookings. To try it, start your own stack
            with <code>npm start</code>.
          </p>
        </Notice>
      )}
      {refusal && refusal.code !== 'forbidden' && !isLabAbsent(refusal) && (
        <ProblemNotice problem={refusal} action="changing" />
      )}
      <div className="grid gap-x-4 gap-y-5 md:grid-cols-3 md:gap-y-2">
        {answers.map((answer) => (
          <Column key={answer} answer={answer} view={view} />
        ))}
      </div>
      <p className="text-sm text-muted">
        The pause affects the whole stack: for {pauseSeconds} seconds, nobody can log in or book. Redis then resumes by
        itself.
      </p>
    </Card>
  );
}

function Column({ answer, view }: { answer: OnStoreFailure; view: OutageView }) {
  const marks = view.marks[answer];
  const { served, refused, failed, slowestMs } = countsWhileAway(marks);
  const sent = served + refused + failed;
  return (
    <section aria-label={`Policy “${answer}”`} className="grid min-w-0 gap-2 md:row-span-4 md:grid-rows-subgrid">
      <h3 className="font-semibold">{answer}</h3>
      <p className="text-sm text-muted">{meaning[answer]}</p>
      <Lane marks={marks} view={view} />
      <p className="text-sm tabular-nums">
        {sent === 0 ? (
          <span className="text-muted">No requests sent during an outage yet.</span>
        ) : (
          <>
            During the outage: <strong className="text-good">{served} served</strong>,{' '}
            <strong className="text-warn">{refused} refused</strong>,{' '}
            <strong className="text-bad">{failed} × 503</strong>. Slowest response: {Math.round(slowestMs)} ms.
          </>
        )}
      </p>
    </section>
  );
}

const rows = 3;
const looks: Record<Outcome, string> = {
  served: 'size-2 rounded-full bg-good',
  throttled: 'size-2 rounded-full inset-ring-2 inset-ring-warn',
  suppressed: 'size-2 rounded-full inset-ring-2 inset-ring-bad',
  unanswered: 'h-3 w-0.75 bg-bad',
};
const positionOf = (ms: number) => `${Math.min(100, Math.max(0, (100 * ms) / runMs))}%`;

/** Every request on a time axis; the outage is shaded. */
function Lane({
  marks,
  view: { awayFromMs, awayUntilMs, elapsedMs },
}: {
  marks: readonly OutageMark[];
  view: OutageView;
}) {
  const away = awayFromMs !== undefined && awayUntilMs !== undefined && awayFromMs < elapsedMs;
  return (
    <div aria-hidden="true" className="relative h-14 overflow-hidden rounded-control bg-sunken">
      {away && (
        <span
          className="absolute inset-y-0 left-(--from) w-(--width) bg-bad-soft"
          style={
            {
              '--from': positionOf(awayFromMs),
              '--width': positionOf(Math.min(elapsedMs, awayUntilMs) - awayFromMs),
            } as CSSProperties
          }
        />
      )}
      {marks.map((mark, index) => (
        <span
          key={mark.sentAtMs}
          className={clsx('absolute top-(--y) left-(--x) -translate-1/2', looks[mark.outcome])}
          style={
            {
              '--x': positionOf(mark.sentAtMs),
              '--y': `${((index % rows) + 1) * (100 / (rows + 1))}%`,
            } as CSSProperties
          }
        />
      ))}
    </div>
  );
}

const outcomeSentence = (marks: OutageView['marks']) =>
  `Redis is back. ${answers
    .map((answer) => {
      const { served, refused, failed } = countsWhileAway(marks[answer]);
      return `${answer}: ${served} served, ${refused} refused, ${failed} answered 503.`;
    })
    .join(' ')}`;
