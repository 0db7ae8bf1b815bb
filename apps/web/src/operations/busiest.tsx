import type { BucketExplained, LimitActivity } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { activityQuery, bucketQuery, liftSuppression } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Modal } from '../interface/modal.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Select } from '../interface/select.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { duration, secondsLeft } from '../words/durations.ts';
import { limitWords } from '../words/limits.ts';

interface Asked {
  policy: string;
  bucket: string;
}

/** Who was refused most, as hashes; why, and an end to it. */
export function Busiest({ minutes, policies }: { minutes: number; policies: readonly string[] }) {
  const activity = useQuery(activityQuery(minutes));
  const [asked, setAsked] = useState<Asked>();
  return (
    <Card title="Busiest identities">
      <p className="text-sm text-muted">
        Named by their buckets, which are keyed hashes: nobody reads an address or a user here.
      </p>
      <Loaded query={activity} waiting={<Skeleton className="h-32" />}>
        {({ mostRefused, mostSuppressed }) => (
          <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
            <BucketList title="Refused" rows={mostRefused} onAsk={setAsked} />
            <BucketList title="Banned" rows={mostSuppressed} onAsk={setAsked} />
          </div>
        )}
      </Loaded>
      <AskByIdentity policies={policies} onAsk={setAsked} />
      {asked && <Explained {...asked} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}

function BucketList({
  title,
  rows,
  onAsk,
}: {
  title: string;
  rows: LimitActivity['mostRefused'];
  onAsk: (asked: Asked) => void;
}) {
  return (
    <div className="min-w-0">
      <h3 className="font-semibold">{title}</h3>
      {rows.length === 0 ? (
        <p className="text-muted">Nobody in this time.</p>
      ) : (
        <ul>
          {rows.map(({ policy, bucket, count }) => (
            <li
              key={`${policy} ${bucket}`}
              className="flex items-center justify-between gap-3 border-t border-line py-2"
            >
              <span className="min-w-0">
                <span className="block">
                  {policy} <span className="font-bold tabular-nums">× {count}</span>
                </span>
                <code className="block truncate text-sm text-muted">{bucket}</code>
              </span>
              <Button look="quiet" onClick={() => onAsk({ policy, bucket })}>
                Explain<span className="sr-only"> {bucket}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const kinds = [
  ['ip', 'Address'],
  ['user', 'User id'],
  ['key', 'API key id'],
  ['account', 'Account’s e-mail'],
] as const;

function AskByIdentity({ policies, onAsk }: { policies: readonly string[]; onAsk: (asked: Asked) => void }) {
  const [policy, setPolicy] = useState('booking');
  const [kind, setKind] = useState<string>('ip');
  const [name, setName] = useState('');
  return (
    <details>
      <summary className="min-h-11 py-2 font-semibold">Somebody asks why they are refused</summary>
      <form
        className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_2fr_auto]"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (name.trim() !== '') onAsk({ policy, bucket: `${kind}:${name.trim()}` });
        }}
      >
        <Select label="Policy" value={policy} options={policies.map((one) => [one, one])} onChange={setPolicy} />
        <Select label="Known by" value={kind} options={kinds} onChange={setKind} />
        <Field label="Who" name="identity" autoComplete="off" value={name} onChange={setName} />
        <Button type="submit" look="quiet">
          Explain
        </Button>
      </form>
    </details>
  );
}

/** One bucket, looked at every second while it is open. */
function Explained({ policy, bucket, onClose }: Asked & { onClose: () => void }) {
  const client = useQueryClient();
  const query = bucketQuery(policy, bucket);
  const found = useQuery(query);
  const refresh = () => client.invalidateQueries({ queryKey: query.queryKey });
  const lifting = useWrite(
    liftSuppression,
    () => {
      announce('The ban is lifted.');
      return refresh();
    },
    refresh,
  );
  return (
    <Modal title={`A bucket under “${policy}”`} onClose={onClose}>
      <Loaded query={found} waiting={<Skeleton className="h-40" />}>
        {(state) => (
          <>
            <p className="text-lg">{bucketSentence(state)}</p>
            <BucketNumbers state={state} />
            {lifting.problem && lifting.problem.code !== 'not_found' && (
              <ProblemNotice problem={lifting.problem} doing="changing" again={lifting.again} />
            )}
            <div className="flex flex-wrap justify-end gap-3">
              {state.bannedUntil && (
                <Button look="danger" busy={lifting.busy} busyText="Lifting" onClick={() => lifting.run(state.bucket)}>
                  Lift the ban
                </Button>
              )}
              <Button look="quiet" onClick={onClose}>
                Close
              </Button>
            </div>
          </>
        )}
      </Loaded>
      {found.data === undefined && (
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      )}
    </Modal>
  );
}

function bucketSentence({ state, tokens, nextAllowedAt, bannedUntil, bans, clock }: BucketExplained): string {
  if (state === 'absent') return 'It is full, and nothing is remembered against it: the next request is served.';
  if (state === 'unreadable') return 'What is stored cannot be read. It counts as empty, and mends itself.';
  const nowMs = Date.parse(clock.now);
  const left = (instant: string) => duration(secondsLeft(Date.parse(instant), nowMs));
  if (bannedUntil) {
    return `It is banned for ${left(bannedUntil)} more: this is ban ${bans} since it was last forgotten. Waiting is enough.`;
  }
  if (nextAllowedAt) return `It is empty: the next request is served in ${left(nextAllowedAt)}.`;
  return `It has ${Math.floor(tokens ?? 0)} whole tokens: the next request is served.`;
}

function BucketNumbers({ state }: { state: BucketExplained }) {
  const nowMs = Date.parse(state.clock.now);
  const left = (instant: string | null) =>
    instant === null ? '–' : `in ${duration(secondsLeft(Date.parse(instant), nowMs))}`;
  const rows: [what: string, value: string][] = [
    ['Bucket', state.bucket],
    ['Limit', state.limit ? limitWords(state.limit) : '–'],
    ['Tokens', state.tokens === null ? '–' : state.tokens.toFixed(2)],
    ['Full again', left(state.fullAt)],
    ['Strikes', String(state.strikes)],
    ['Bans', String(state.bans)],
    ['All forgotten', left(state.forgottenAt)],
    ['Redis’s clock', `${state.clock.now}, the task that answered is ${state.clock.taskIsAheadByMs} ms ahead`],
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
      {rows.map(([what, value]) => (
        <div key={what} className="contents">
          <dt className="text-muted">{what}</dt>
          <dd className="wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
