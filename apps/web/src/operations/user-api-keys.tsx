import type { ApiKey, User } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeKeyTier, revokeUserApiKey, tiersQuery, userApiKeysQuery } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Modal } from '../interface/modal.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Select } from '../interface/select.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { readerTime } from '../words/dates.ts';

/** Lists the API keys of a user, gives each a tier, and revokes each after a confirmation. */
export function UserApiKeys({ user }: { user: User }) {
  const client = useQueryClient();
  const query = userApiKeysQuery(user.id);
  const keys = useQuery(query);
  const [chosen, setChosen] = useState<ApiKey>();
  const close = () => {
    setChosen(undefined);
    return client.invalidateQueries({ queryKey: query.queryKey });
  };
  return (
    <div className="space-y-2">
      <h3 className="font-semibold">API keys</h3>
      <Loaded query={keys} waiting={<Skeleton className="h-10" />}>
        {(items) =>
          items.length === 0 ? (
            <p className="text-sm text-muted">{user.name} has no API keys.</p>
          ) : (
            <ul className="space-y-2">
              {items.map((key) => (
                <li key={key.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                  <div className="min-w-0">
                    <p className="wrap-anywhere">{key.name}</p>
                    <p className="text-sm text-muted">
                      <code>{key.prefix}…</code>, created on {readerTime(key.createdAt)}
                    </p>
                  </div>
                  <Button look="danger" onClick={() => setChosen(key)}>
                    Revoke<span className="sr-only"> {key.name}</span>
                  </Button>
                  <KeyTier user={user} apiKey={key} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {chosen && <Confirmation user={user} apiKey={chosen} onClose={close} />}
    </div>
  );
}

/** Gives one API key a tier of its own. It takes effect with the choice. */
function KeyTier({ user, apiKey }: { user: User; apiKey: ApiKey }) {
  const client = useQueryClient();
  const tiers = useQuery(tiersQuery).data ?? [];
  const changing = useWrite(changeKeyTier, ({ name, tier }) => {
    announce(
      tier === null ? `The key “${name}” shares its user’s limits.` : `The key “${name}” is on the ${tier} tier.`,
    );
    return client.invalidateQueries({ queryKey: ['operations'] });
  });
  return (
    <>
      <Select
        label={`Limits of “${apiKey.name}”`}
        hint={`key:${apiKey.id}`}
        value={apiKey.tier ?? ''}
        options={[['', 'shares the user’s limits'], ...tiers.map(({ name }) => [name, `${name}, for itself`] as const)]}
        onChange={(chosen) => changing.run({ id: user.id, key: apiKey.id, tier: chosen === '' ? null : chosen })}
      />
      {changing.problem && <ProblemNotice problem={changing.problem} action="changing" retry={changing.retry} />}
    </>
  );
}

function Confirmation({ user, apiKey, onClose }: { user: User; apiKey: ApiKey; onClose: () => unknown }) {
  const revoking = useWrite(
    revokeUserApiKey,
    () => {
      announce(`The key “${apiKey.name}” is revoked.`);
      return onClose();
    },
    // Its owner may have revoked it meanwhile.
    (problem) => problem.code === 'not_found' && onClose(),
  );
  return (
    <Modal title={`Revoke “${apiKey.name}”?`} onClose={onClose}>
      <p>
        Programs of {user.name} that send this key are refused from their next request on. You can’t undo this; the user
        can create another key.
      </p>
      {revoking.problem && <ProblemNotice problem={revoking.problem} action="changing" retry={revoking.retry} />}
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="quiet" onClick={() => onClose()}>
          Keep key
        </Button>
        <Button
          look="danger"
          busy={revoking.busy}
          busyText="Revoking"
          onClick={() => revoking.run({ id: user.id, key: apiKey.id })}
        >
          Revoke key
        </Button>
      </div>
    </Modal>
  );
}
