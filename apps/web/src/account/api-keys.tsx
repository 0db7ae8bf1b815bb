import type { ApiKey } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { apiKeysQuery, createApiKey, revokeApiKey } from '../api/account-calls.ts';
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

/** Creates API keys, shows each new key once, and revokes keys. */
export function ApiKeys() {
  const client = useQueryClient();
  const keys = useQuery(apiKeysQuery);
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);
  const [created, setCreated] = useState<ApiKey & { key: string }>();
  const field = useRef<HTMLFormElement>(null);
  const refresh = () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  const creating = useWrite(createApiKey, (key) => {
    setCreated(key);
    setName('');
    announce('The key was created. Copy it now: it is shown only once.');
    return refresh();
  });

  return (
    <Card title="API keys">
      <p>
        Programs send a key as <code className="text-sm">Authorization: Bearer mt_…</code>. You can have five keys. They
        share your rate limits.
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
          else creating.run(wanted);
        }}
      >
        <Field
          label="Name of the key"
          name="keyName"
          autoComplete="off"
          error={missing ? 'Enter a name, so that you recognise the key later.' : undefined}
          value={name}
          onChange={setName}
        />
        {creating.problem && <ProblemNotice problem={creating.problem} action="changing" retry={creating.retry} />}
        <Button type="submit" busy={creating.busy} busyText="Creating the key">
          Create key
        </Button>
      </form>
      {created && (
        <Notice tone="good" title="Copy the key now: it is shown only once">
          <p>
            <code className="break-all">{created.key}</code>
          </p>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={created.key} what="the key" />
            <Button look="quiet" onClick={() => setCreated(undefined)}>
              Done
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
                    if (created?.id === key.id) setCreated(undefined);
                    return refresh();
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
    // Another tab may have revoked it already.
    (problem) => problem.code === 'not_found' && onGone(),
  );
  return (
    <li className="space-y-2 border-t border-line pt-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <p className="font-semibold">{apiKey.name}</p>
          <p className="text-sm text-muted">
            <code>{apiKey.prefix}…</code>, created on {readerTime(apiKey.createdAt)}
            {apiKey.tier !== null && `, with the limits of the tier ${apiKey.tier} for itself`}
          </p>
        </div>
        <Button look="danger" busy={revoking.busy} busyText="Revoking" onClick={() => revoking.run(apiKey.id)}>
          Revoke<span className="sr-only"> {apiKey.name}</span>
        </Button>
      </div>
      {revoking.problem && <ProblemNotice problem={revoking.problem} action="changing" retry={revoking.retry} />}
    </li>
  );
}
