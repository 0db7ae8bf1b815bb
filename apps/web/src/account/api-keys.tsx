import type { ApiKey } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { apiKeysQuery, makeApiKey, revokeApiKey } from '../api/account-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { CopyButton } from '../interface/copy-button.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { readerTime } from '../words/dates.ts';

/** Makes keys for programs, shows each once, and revokes them. */
export function ApiKeys() {
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
