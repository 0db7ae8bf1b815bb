import type { OnStoreFailure, ShippedTier, User } from '@minitickets/contract';
import { Link, useRouterState } from '@tanstack/react-router';
import { createApiKey } from '../api/account-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button, buttonClass } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { OneOf } from '../interface/one-of.tsx';
import { Select } from '../interface/select.tsx';
import type { Drive, Summary } from './drive.ts';
import { costs, rates, type SentAs, type SetUp } from './set-up.ts';
import { ShortResult } from './short-result.tsx';

const tiers: [ShippedTier, string][] = [
  ['free', 'Free'],
  ['pro', 'Pro'],
];
const identities: [SentAs, string][] = [
  ['address', 'Address'],
  ['account', 'Account'],
  ['key', 'API key'],
];
const whenAway: [OnStoreFailure, string][] = [
  ['local', 'Local'],
  ['open', 'Open'],
  ['closed', 'Closed'],
];
const bursts = [1, 10, 50] as const;

/** Controls for what is sent, under which identity, and how fast. */
export function Controls({
  drive,
  setUp,
  onChange,
  summary,
  user,
  apiKey,
  onApiKey,
}: {
  drive: Drive;
  setUp: SetUp;
  onChange: (change: Partial<SetUp>) => void;
  summary: Summary;
  user: User | null | undefined;
  apiKey: string;
  onApiKey: (key: string) => void;
}) {
  const missing =
    (setUp.sentAs === 'account' && !user && 'log_in') || (setUp.sentAs === 'key' && !looksLikeKey(apiKey) && 'key');
  const blocked = missing !== false;
  const { streaming } = summary;
  return (
    <Card title="Send requests">
      <div className="grid gap-4">
        <OneOf label="Tier" options={tiers} value={setUp.tier} onChange={(tier) => onChange({ tier })} />
        <OneOf label="Sent as" options={identities} value={setUp.sentAs} onChange={(sentAs) => onChange({ sentAs })} />
        {missing === 'log_in' && <LogInFirst />}
        {setUp.sentAs === 'key' && <KeyField apiKey={apiKey} onApiKey={onApiKey} user={user} />}
        <OneOf
          label="If Redis is down"
          options={whenAway}
          value={setUp.whenAway}
          onChange={(chosen) => onChange({ whenAway: chosen })}
        />
        <Select
          label="Each request costs"
          value={String(setUp.cost)}
          options={costs.map((cost) => [String(cost), cost === 1 ? '1 token' : `${cost} tokens`])}
          onChange={(cost) => onChange({ cost: Number(cost) })}
        />
        <fieldset>
          <legend className="mb-1.5 font-semibold">Burst</legend>
          <div className="grid grid-cols-3 gap-2">
            {bursts.map((count) => (
              <Button
                key={count}
                look={count === 10 ? 'primary' : 'quiet'}
                blocked={blocked}
                onClick={() => drive.burst(count)}
              >
                {count}
                <span className="sr-only"> {count === 1 ? 'request' : 'requests at once'}</span>
              </Button>
            ))}
          </div>
        </fieldset>
        <ShortResult drive={drive} summary={summary} />
        <div className="space-y-1.5">
          <label className="block font-semibold" htmlFor="stream-rate">
            Stream
          </label>
          <div className="grid grid-cols-[3fr_2fr] gap-2">
            <select
              id="stream-rate"
              value={setUp.ratePerSecond}
              onChange={(change) => {
                const ratePerSecond = Number(change.currentTarget.value);
                onChange({ ratePerSecond });
                if (streaming) drive.startStream(ratePerSecond);
              }}
              className="h-11 rounded-control bg-surface px-3 inset-ring inset-ring-edge"
            >
              {rates.map((rate) => (
                <option key={rate} value={rate}>
                  {rate} per second
                </option>
              ))}
            </select>
            {streaming ? (
              <Button look="danger" onClick={() => drive.endStream()}>
                Stop
              </Button>
            ) : (
              <Button look="quiet" blocked={blocked} onClick={() => drive.startStream(setUp.ratePerSecond)}>
                Start
              </Button>
            )}
          </div>
        </div>
      </div>
    </Card>
  );
}

const looksLikeKey = (key: string) => /^mt_[\w-]{20,100}$/.test(key);

function LogInFirst() {
  const here = useRouterState({ select: (state) => state.location.href });
  return (
    <div className="space-y-2">
      <p className="text-sm text-muted">An account has its own bucket, shared by all its sessions.</p>
      <Link to="/log-in" search={{ returnTo: here }} className={buttonClass('quiet', true)}>
        Log in to use your account
      </Link>
    </div>
  );
}

function KeyField({
  apiKey,
  onApiKey,
  user,
}: {
  apiKey: string;
  onApiKey: (key: string) => void;
  user: User | null | undefined;
}) {
  const creating = useWrite(createApiKey, ({ key }) => {
    onApiKey(key);
    announce('A key was created and filled in.');
  });
  return (
    <div className="space-y-3">
      <Field
        label="API key"
        name="apiKey"
        type="password"
        autoComplete="off"
        hint="The key stays in this page. It spends from its owner’s bucket, unless an operator gave it a limit of its own."
        value={apiKey}
        onChange={(typed) => onApiKey(typed.trim())}
      />
      {creating.problem && <ProblemNotice problem={creating.problem} action="changing" retry={creating.retry} />}
      {user && apiKey === '' && (
        <Button
          look="quiet"
          wide
          busy={creating.busy}
          busyText="Creating a key"
          onClick={() => creating.run('Limiter page')}
        >
          Create a key for this page
        </Button>
      )}
      {user && (
        <p className="text-sm text-muted">
          You can revoke it on{' '}
          <Link to="/account" className="font-semibold text-accent underline underline-offset-4">
            your account page
          </Link>
          .
        </p>
      )}
    </div>
  );
}
