import type { LimitChange, LimitView } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { identityLimitsQuery, limitsQuery } from '../api/operator-calls.ts';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Select } from '../interface/select.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { limitWords } from '../words/limits.ts';
import { LimitEditor } from './limit-editor.tsx';

type Edited = { limit: LimitView; identity: string };

/** The limits of single users, API keys and client IPs, each with its editor. */
export function IdentityLimits() {
  const own = useQuery(identityLimitsQuery);
  const limits = useQuery(limitsQuery).data ?? [];
  const client = useQueryClient();
  const [edited, setEdited] = useState<Edited>();
  /** The numbers to start from: the identity's own, or those of a tier. */
  const edit = (policy: string, identity: string, numbers?: LimitChange) => {
    const limit = limits.find((one) => one.policy === policy);
    if (limit) setEdited({ identity, limit: { ...limit, ...numbers, shipped: numbers === undefined } });
  };
  return (
    <Card title="Limits of single identities">
      <Loaded query={own} waiting={<Skeleton className="h-16" />}>
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">Every identity has the limits of its tier.</p>
          ) : (
            <ul>
              {items.map(({ policy, identity, ...numbers }) => (
                <li
                  key={`${policy} ${identity}`}
                  className="flex items-center justify-between gap-x-4 border-t border-line py-3"
                >
                  <div className="min-w-0">
                    <p className="wrap-anywhere">
                      <strong>{policy}</strong>, <code className="text-sm">{identity}</code>
                    </p>
                    <p>{limitWords(numbers)}</p>
                  </div>
                  <Button look="quiet" onClick={() => edit(policy, identity, numbers)}>
                    Edit
                    <span className="sr-only">
                      {' '}
                      {policy}, {identity}
                    </span>
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewIdentityLimit
        policies={[
          ...new Set(
            limits
              .filter(({ identity }) => identity !== 'account' && identity !== 'network')
              .map(({ policy }) => policy),
          ),
        ]}
        onChosen={edit}
      />
      {edited && (
        <LimitEditor
          {...edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => client.invalidateQueries({ queryKey: ['operations'] })}
        />
      )}
    </Card>
  );
}

function NewIdentityLimit({
  policies,
  onChosen,
}: {
  policies: readonly string[];
  onChosen: (policy: string, identity: string) => void;
}) {
  const [policy, setPolicy] = useState('booking');
  const [identity, setIdentity] = useState('');
  const [error, setError] = useState<string>();
  return (
    <form
      noValidate
      className="space-y-3"
      onSubmit={(submit) => {
        submit.preventDefault();
        const typed = identity.trim();
        const known = /^(user|key|ip):./.test(typed);
        setError(known ? undefined : 'Enter user:, key: or ip:, followed by the ID or the address.');
        if (known) onChosen(policy, typed);
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Select label="Policy" value={policy} options={policies.map((one) => [one, one])} onChange={setPolicy} />
        <Field
          label="Identity"
          name="identity"
          autoComplete="off"
          hint="user:<id>, key:<id> or ip:<address>"
          error={error}
          value={identity}
          onChange={setIdentity}
        />
      </div>
      <Button type="submit" look="quiet">
        Set a limit
      </Button>
    </form>
  );
}
