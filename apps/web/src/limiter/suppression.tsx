import type { PlaygroundBucket } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useEffect } from 'react';
import type { ApiProblem } from '../api/client.ts';
import { Card } from '../interface/card.tsx';
import { duration, secondsLeft } from '../words/durations.ts';
import { suppressionWords } from '../words/limits.ts';
import type { Drive, Summary } from './drive.ts';
import type { PlaygroundCall } from './observe.ts';
import { ownBucketQuery } from './own-bucket.ts';

const shownBans = 6;

/** Shows the strikes of the bucket, which grow towards a ban and decay with time, and the bans that the API announced. */
export function SuppressionCard({ call, drive, summary }: { call: PlaygroundCall; drive: Drive; summary: Summary }) {
  const { inFlight, streaming } = summary;
  const moving = inFlight > 0 || streaming;
  const hasSent = summary.sent > 0;
  const hasCredentials = call.sentAs !== 'key' || call.apiKey !== '';
  const bucket = useQuery({ ...ownBucketQuery(call, () => drive.isMoving), enabled: hasSent && hasCredentials });
  const { refetch } = bucket;
  useEffect(() => {
    // Refresh once a burst is over.
    if (!moving && hasSent && hasCredentials) refetch().catch(() => undefined);
  }, [moving, hasSent, hasCredentials, refetch]);
  return (
    <Card title="Suppression">
      <Strikes found={bucket.data} problem={bucket.error} />
      <Bans summary={summary} />
      <p className="text-sm text-muted">
        Each refused request is promised the next free slot. Every promised slot still in the future is a strike; it
        expires when its time comes. {bucket.data && `Ban: ${suppressionWords(bucket.data.suppression)}.`}
      </p>
    </Card>
  );
}

function Strikes({ found, problem }: { found: PlaygroundBucket | undefined; problem: ApiProblem | null }) {
  if (problem) {
    return (
      <p className="text-muted">
        {problem.code === 'store_unavailable'
          ? 'Redis is down, so the strikes cannot be read. They are kept until it is back.'
          : 'The strikes could not be loaded. This page retries by itself.'}
      </p>
    );
  }
  if (!found) return <p>No requests sent yet. Start a stream of 20 per second and watch the strikes grow.</p>;
  const { strikes, bans, suppression, bannedUntil, forgottenAt, clock } = found;
  const maxStrikes = suppression?.strikes ?? 0;
  const left = (instant: string) => duration(secondsLeft(Date.parse(instant), Date.parse(clock.now)));
  return (
    <div className="space-y-1.5">
      <p className="flex justify-between gap-3">
        <span>Strikes</span>
        <span className="font-bold tabular-nums">{suppression ? `${strikes} of ${maxStrikes}` : 'not counted'}</span>
      </p>
      <span aria-hidden="true" className="block h-3 overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full origin-left scale-x-(--share) rounded-full bg-warn transition-transform duration-300"
          style={{ '--share': Math.min(1, strikes / Math.max(1, maxStrikes)) } as CSSProperties}
        />
      </span>
      <p className="text-sm text-muted tabular-nums">
        {bannedUntil
          ? `Ban ${bans}: ${left(bannedUntil)} left. `
          : bans > 0
            ? `${bans} ${bans === 1 ? 'ban' : 'bans'} so far: the next one is longer. `
            : ''}
        {forgottenAt ? `Everything resets in ${left(forgottenAt)}.` : 'No strikes and no bans.'}
      </p>
    </div>
  );
}

/**
 * Lists the bans, oldest first, without numbering them: earlier bans may precede this page, so only the server knows the
 * number of a ban.
 */
function Bans({ summary: { bans } }: { summary: Summary }) {
  const longest = Math.max(1, ...bans.map(({ ms }) => ms));
  if (bans.length === 0) return null;
  return (
    <ol className="space-y-1.5">
      {bans.slice(-shownBans).map((ban) => (
        <li key={ban.at} className="grid grid-cols-[6rem_1fr_5.5rem] items-center gap-2">
          <span>Banned for</span>
          <span aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
            <span
              className="block h-full origin-left scale-x-(--share) rounded-full bg-bad"
              style={{ '--share': ban.ms / longest } as CSSProperties}
            />
          </span>
          <span className="text-right font-semibold tabular-nums">{duration(Math.round(ban.ms / 1000))}</span>
        </li>
      ))}
    </ol>
  );
}
