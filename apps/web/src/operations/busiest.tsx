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

interface BucketName {
  policy: string;
  bucket: string;
}

/** Lists the most refused identities as keyed hashes, explains why each is refused, and lifts bans. */
export function Busiest({ minutes, policies }: { minutes: number; policies: readonly string[] }) {
  const activity = useQuery(activityQuery(minutes));
  const [selected, setSelected] = useState<BucketName>();
  return (
    <Card title="Busiest identities">
      <p className="text-sm text-muted">
        Identities appear as keyed hashes of their buckets, so this page shows no addresses or users.
      </p>
      <Loaded query={activity} waiting={<Skeleton className="h-32" />}>
        {({ mostRefused, mostSuppressed }) => (
          <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
            <BucketList title="Refused" rows={mostRefused} onExplain={setSelected} />
            <BucketList title="Banned" rows={mostSuppressed} onExplain={setSelected} />
          </div>
        )}
      </Loaded>
      <ExplainByIdentity policies={policies} onExplain={setSelected} />
      {selected && <BucketDialog {...selected} onClose={() => setSelected(undefined)} />}
    </Card>
  );
}

function BucketList({
  title,
  rows,
  onExplain,
}: {
  title: string;
  rows: LimitActivity['mostRefused'];
  onExplain: (name: BucketName) => void;
}) {
  return (
    <div className="min-w-0">
      <h3 className="font-semibold">{title}</h3>
      {rows.length === 0 ? (
        <p className="text-muted">None in this period.</p>
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
              <Button look="quiet" onClick={() => onExplain({ policy, bucket })}>
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
  ['ip', 'Client IP'],
  ['user', 'User ID'],
  ['key', 'API key ID'],
  ['account', 'Account e-mail'],
] as const;

function ExplainByIdentity({
  policies,
  onExplain,
}: {
  policies: readonly string[];
  onExplain: (name: BucketName) => void;
}) {
  const [policy, setPolicy] = useState('booking');
  const [kind, setKind] = useState<string>('ip');
  const [name, setName] = useState('');
  return (
    <details>
      <summary className="min-h-11 py-2 font-semibold">Look up an identity</summary>
      <form
        className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_2fr_auto]"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (name.trim() !== '') onExplain({ policy, bucket: `${kind}:${name.trim()}` });
        }}
      >
        <Select label="Policy" value={policy} options={policies.map((one) => [one, one])} onChange={setPolicy} />
        <Select label="Identity type" value={kind} options={kinds} onChange={setKind} />
        <Field label="Identity" name="identity" autoComplete="off" value={name} onChange={setName} />
        <Button type="submit" look="quiet">
          Explain
        </Button>
      </form>
    </details>
  );
}

/** Shows one bucket and refreshes it every second while the dialog is open. */
function BucketDialog({ policy, bucket, onClose }: BucketName & { onClose: () => void }) {
  const client = useQueryClient();
  const query = bucketQuery(policy, bucket);
  const found = useQuery(query);
  const refresh = () => client.invalidateQueries({ queryKey: query.queryKey });
  const lifting = useWrite(
    liftSuppression,
    () => {
      announce('The ban was lifted.');
      return refresh();
    },
    refresh,
  );
  return (
    <Modal title={`Bucket of policy “${policy}”`} onClose={onClose}>
      <Loaded query={found} waiting={<Skeleton className="h-40" />}>
        {(state) => (
          <>
            <p className="text-lg">{bucketSentence(state)}</p>
            <BucketNumbers state={state} />
            {lifting.problem && lifting.problem.code !== 'not_found' && (
              <ProblemNotice problem={lifting.problem} action="changing" retry={lifting.retry} />
            )}
            <div className="flex flex-wrap justify-end gap-3">
              {state.bannedUntil && (
                <Button
                  look="danger"
                  busy={lifting.busy}
                  busyText="Lifting the ban"
                  onClick={() => lifting.run(state.bucket)}
                >
                  Lift ban
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
  if (state === 'absent') return 'The bucket is full, without strikes or bans. The next request is served.';
  if (state === 'unreadable')
    return 'The stored bucket is corrupt. It counts as empty and repairs itself with the next request.';
  const nowMs = Date.parse(clock.now);
  const left = (instant: string) => duration(secondsLeft(Date.parse(instant), nowMs));
  if (bannedUntil) {
    return `Banned for ${left(bannedUntil)} more. This is ban ${bans} since the last reset. The ban ends by itself.`;
  }
  if (nextAllowedAt) return `The bucket is empty. The next request is served in ${left(nextAllowedAt)}.`;
  return `The bucket holds ${Math.floor(tokens ?? 0)} whole tokens. The next request is served.`;
}

function BucketNumbers({ state }: { state: BucketExplained }) {
  const nowMs = Date.parse(state.clock.now);
  const left = (instant: string | null) =>
    instant === null ? '–' : `in ${duration(secondsLeft(Date.parse(instant), nowMs))}`;
  const rows: [what: string, value: string][] = [
    ['Bucket', state.bucket],
    ['Limit', state.limit ? limitWords(state.limit) : '–'],
    ['Tokens', state.tokens === null ? '–' : state.tokens.toFixed(2)],
    ['Full', left(state.fullAt)],
    ['Strikes', String(state.strikes)],
    ['Bans', String(state.bans)],
    ['Reset', left(state.forgottenAt)],
    ['Redis clock', `${state.clock.now}; the responding task’s clock is ${state.clock.taskIsAheadByMs} ms ahead`],
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
