import type { ApiKey, User } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { apiKeysQuery, logOutEverywhere, makeApiKey, revokeApiKey } from '../api/account-calls.ts';
import { logOut } from '../api/calls.ts';
import { changeUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../parts/announcer.tsx';
import { Button, buttonClass } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { Private } from '../parts/private.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { readerTime } from '../words/dates.ts';

export function AccountPage() {
  return <Private>{(user) => <Account user={user} />}</Private>;
}

const tierWords = {
  free: 'Free: 10 bookings at once, then one a second, as shipped.',
  pro: 'Pro: 30 bookings at once, then three a second, as shipped.',
} as const;

function Account({ user }: { user: User }) {
  return (
    <Page title="Your account">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="space-y-4">
          <Card title={user.name}>
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
              <dt className="text-muted">E-mail</dt>
              <dd className="break-all">{user.email}</dd>
              <dt className="text-muted">Role</dt>
              <dd>{user.role}</dd>
              <dt className="text-muted">Tier</dt>
              <dd>{tierWords[user.tier]}</dd>
              <dt className="text-muted">User id</dt>
              <dd>
                <code className="break-all text-sm">{user.id}</code>
              </dd>
            </dl>
            <div className="flex flex-wrap gap-2">
              <Link to="/bookings" className={buttonClass('quiet')}>
                My bookings
              </Link>
              {user.role !== 'customer' && (
                <Link to="/organise" className={buttonClass('quiet')}>
                  Organise
                </Link>
              )}
              {user.role === 'admin' && (
                <Link to="/operations" className={buttonClass('quiet')}>
                  Operations
                </Link>
              )}
            </div>
          </Card>
          <Sessions />
        </div>
        <ApiKeys />
      </div>
    </Page>
  );
}

function Sessions() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = (sentence: string) => async () => {
    await navigate({ to: '/' });
    changeUser(client, null);
    announce(sentence);
  };
  const here = useWrite(logOut, leave('You are logged out.'));
  const everywhere = useWrite(logOutEverywhere, leave('You are logged out everywhere.'));
  const problem = here.problem ?? everywhere.problem;
  return (
    <Card title="Sessions">
      <p>
        A session ends on every task at once. If you left one open on another computer, or lost a device, end them all.
      </p>
      {problem && (
        <ProblemNotice problem={problem} doing="logging_out" again={here.problem ? here.again : everywhere.again} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="quiet" busy={here.busy} busyText="Logging out" onClick={() => here.run(undefined)}>
          Log out here
        </Button>
        <Button look="danger" busy={everywhere.busy} busyText="Ending them" onClick={() => everywhere.run(undefined)}>
          Log out everywhere
        </Button>
      </div>
    </Card>
  );
}

function ApiKeys() {
  const client = useQueryClient();
  const keys = useQuery(apiKeysQuery);
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);
  const [made, setMade] = useState<ApiKey & { key: string }>();
  const field = useRef<HTMLFormElement>(null);
  const again = () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  const making = useWrite(makeApiKey, (key) => {
    setMade(key);
    setName('');
    announce('The key was made. It is shown this once: copy it now.');
    return again();
  });

  return (
    <Card title="API keys">
      <p>
        For programs: <code className="text-sm">Authorization: Bearer mt_…</code>. Each key has a bucket of its own, and
        you can have five.
      </p>
      <form
        ref={field}
        noValidate
        className="space-y-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          const wanted = name.trim();
          setMissing(wanted === '');
          if (wanted === '') field.current?.querySelector('input')?.focus();
          else making.run(wanted);
        }}
      >
        <Field
          label="What is it for?"
          name="keyName"
          autoComplete="off"
          error={missing ? 'Give it a name, so that you know it again.' : undefined}
          value={name}
          onChange={setName}
        />
        {making.problem && <ProblemNotice problem={making.problem} doing="changing" again={making.again} />}
        <Button type="submit" busy={making.busy} busyText="Making it">
          Make a key
        </Button>
      </form>
      {made && (
        <Notice tone="good" title="Copy the key now: it is never shown again">
          <p>
            <code className="break-all">{made.key}</code>
          </p>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={made.key} what="the key" />
            <Button look="quiet" onClick={() => setMade(undefined)}>
              I have it
            </Button>
          </div>
        </Notice>
      )}
      <Loaded query={keys} waiting={<Skeleton className="h-16" />}>
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">You have no keys.</p>
          ) : (
            <ul className="space-y-3">
              {items.map((key) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  onGone={() => {
                    if (made?.id === key.id) setMade(undefined);
                    return again();
                  }}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function KeyRow({ apiKey, onGone }: { apiKey: ApiKey; onGone: () => unknown }) {
  const revoking = useWrite(
    revokeApiKey,
    () => {
      announce(`The key “${apiKey.name}” is revoked.`);
      return onGone();
    },
    // Another tab may have been faster.
    (problem) => problem.code === 'not_found' && onGone(),
  );
  return (
    <li className="space-y-2 border-t border-line pt-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <p className="font-semibold">{apiKey.name}</p>
          <p className="text-sm text-muted">
            <code>{apiKey.prefix}…</code>, made on {readerTime(apiKey.createdAt)}
          </p>
        </div>
        <Button look="danger" busy={revoking.busy} busyText="Revoking" onClick={() => revoking.run(apiKey.id)}>
          Revoke<span className="sr-only"> {apiKey.name}</span>
        </Button>
      </div>
      {revoking.problem && <ProblemNotice problem={revoking.problem} doing="changing" again={revoking.again} />}
    </li>
  );
}
