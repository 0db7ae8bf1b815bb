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

/** Shows the strikes, and the bans that were announced, each as long as its `Retry-After`. */
export function Ladder({ call, drive, summary }: { call: PlaygroundCall; drive: Drive; summary: Summary }) {
  const { inFlight, streaming } = summary;
  const moving = inFlight > 0 || streaming;
  const begun = summary.sent > 0;
  const usable = call.sentAs !== 'key' || call.apiKey !== '';
  const bucket = useQuery({ ...ownBucketQuery(call, () => drive.isMoving), enabled: begun && usable });
  const { refetch } = bucket;
  useEffect(() => {
    // What came of a burst is worth a look when it is over.
    if (!moving && begun && usable) refetch().catch(() => undefined);
  }, [moving, begun, usable, refetch]);
  return (
    <Card title="Suppression ladder">
      <Strikes found={bucket.data} problem={bucket.error} />
      <Bans summary={summary} />
      <p className="text-sm text-muted">
        Each refused request is promised the next free slot. A slot that is still to come is a strike; as time passes,
        it is taken back. {bucket.data && `Bans: ${suppressionWords(bucket.data.suppression)}.`}
      </p>
    </Card>
  );
}

function Strikes({ found, problem }: { found: PlaygroundBucket | undefined; problem: ApiProblem | null }) {
  if (problem) {
    return (
      <p className="text-muted">
        {problem.code === 'store_unavailable'
          ? 'Redis is down, so the strikes are unknown. They are back when it is.'
          : 'The strikes could not be loaded. Trying again.'}
      </p>
    );
  }
  if (!found) return <p>No request was sent yet. Stream at 20 per second, and watch the strikes climb.</p>;
  const { strikes, bans, suppression, bannedUntil, forgottenAt, clock } = found;
  const most = suppression?.strikes ?? 0;
  const left = (instant: string) => duration(secondsLeft(Date.parse(instant), Date.parse(clock.now)));
  return (
    <div className="space-y-1.5">
      <p className="flex justify-between gap-3">
        <span>Strikes</span>
        <span className="font-bold tabular-nums">{suppression ? `${strikes} of ${most}` : 'not counted'}</span>
      </p>
      <span aria-hidden="true" className="block h-3 overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full origin-left scale-x-(--share) rounded-full bg-warn transition-transform duration-300"
          style={{ '--share': Math.min(1, strikes / Math.max(1, most)) } as CSSProperties}
        />
      </span>
      <p className="text-sm text-muted tabular-nums">
        {bannedUntil
          ? `Step ${bans} of the ladder: banned for ${left(bannedUntil)} more. `
          : bans > 0
            ? `On step ${bans} of the ladder: the next ban is longer. `
            : ''}
        {forgottenAt ? `All is forgotten in ${left(forgottenAt)}.` : 'Nothing is remembered against you.'}
      </p>
    </div>
  );
}

/**
 * Without numbers: which step of the ladder a ban was is known to the server alone, for it remembers bans of before this page.
 * Oldest first.
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
