import type { LimitView, RecordedLimitChange } from '@minitickets/contract';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limitChangesQuery, limitsQuery } from '../api/operator-calls.ts';
import { useUser } from '../api/session.ts';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { ShowMore } from '../interface/show-more.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { readerTime } from '../words/dates.ts';
import { limitDifferences, limitWords, storeFailureWords } from '../words/limits.ts';
import { Differences, LimitEditor, tierWords } from './limit-editor.tsx';

const identityWords: Record<LimitView['identity'], string> = {
  ip: 'per client IP',
  network: 'per network of client IPs (IPv4 /24, IPv6 /48)',
  user: 'per user, or per client IP without a session',
  'api-key': 'per user, for all of their API keys together',
  account: 'per account that a log-in names',
};

/** Lists the limits in force, each with its editor. */
export function Limits() {
  const limits = useQuery(limitsQuery);
  const client = useQueryClient();
  const [edited, setEdited] = useState<LimitView>();
  return (
    <Card title="Limits in force">
      <Loaded query={limits} waiting={<Skeleton className="h-72" />}>
        {(items) => (
          <ul className="grid gap-x-8 md:grid-cols-2">
            {items.map((limit) => (
              <li
                key={`${limit.policy} ${limit.tier}`}
                className="flex items-center justify-between gap-x-4 border-t border-line py-3"
              >
                <div className="min-w-0">
                  <p className="font-semibold">
                    {limit.policy} <span className="font-normal text-muted">{tierWords(limit.tier)}</span>{' '}
                    {!limit.shipped && <Mark words="changed" look="bg-accent-soft text-accent" />}{' '}
                    {limit.shadow && <Mark words="shadow" look="bg-warn-soft text-warn" />}
                  </p>
                  <p>{limitWords(limit)}</p>
                  <p className="text-sm text-muted">
                    {identityWords[limit.identity]}
                    <span className="block">If Redis is down: {storeFailureWords[limit.onStoreFailure]}</span>
                  </p>
                </div>
                <span className="shrink-0">
                  <Button look="quiet" onClick={() => setEdited(limit)}>
                    Edit
                    <span className="sr-only">
                      {' '}
                      {limit.policy}, {tierWords(limit.tier)}
                    </span>
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {edited && (
        <LimitEditor
          limit={edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => client.invalidateQueries({ queryKey: ['operations'] })}
        />
      )}
    </Card>
  );
}

function Mark({ words, look }: { words: string; look: string }) {
  return <span className={`rounded-full px-2 py-0.5 text-sm font-semibold ${look}`}>{words}</span>;
}

/** The change log of the limits, newest first. */
export function LimitChanges() {
  const changes = useInfiniteQuery(limitChangesQuery);
  const user = useUser();
  return (
    <Card title="Limit changes">
      <Loaded query={changes} waiting={<Skeleton className="h-24" />}>
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">No limit has been changed.</p>
          ) : (
            <>
              <ol className="space-y-3">
                {items.map((change) => (
                  <li key={change.id} className="space-y-1 border-t border-line pt-3 first:border-t-0 first:pt-0">
                    <ChangeTitle change={change} />
                    <p className="text-sm text-muted">
                      {readerTime(change.changedAt)}, by{' '}
                      {change.changedBy === user?.id ? 'you' : <code>{change.changedBy}</code>}
                    </p>
                    {change.kind === 'limit' && change.before && change.after && (
                      <Differences differences={limitDifferences(change.before, change.after)} />
                    )}
                  </li>
                ))}
              </ol>
              <ShowMore list={changes}>Show older changes</ShowMore>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function ChangeTitle({ change }: { change: RecordedLimitChange }) {
  switch (change.kind) {
    case 'limit':
      return (
        <p className="wrap-anywhere">
          <strong>{change.policy}</strong>, {change.tier === null ? change.identity : tierWords(change.tier)}
          {change.after && !change.before && `: ${limitWords(change.after)}`}
          {!change.after && ': back to the limit of its tier'}
        </p>
      );
    case 'tier':
      return (
        <p>
          <strong>{tierWords(change.tier)}</strong>{' '}
          {change.after ? `${change.before ? 'now' : 'added,'} based on ${change.after.basedOn}` : 'removed'}
        </p>
      );
    case 'given':
      return (
        <p className="wrap-anywhere">
          <strong>{change.after.tier === null ? 'no tier of its own' : tierWords(change.after.tier)}</strong> for{' '}
          {change.identity}
        </p>
      );
  }
}
