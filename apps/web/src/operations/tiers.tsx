import type { ShippedTier } from '@minitickets/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { putTier, removeTier, tiersQuery } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Select } from '../interface/select.tsx';
import { Skeleton } from '../interface/skeleton.tsx';

const bases: [ShippedTier, string][] = [
  ['free', 'free'],
  ['pro', 'pro'],
];

/** Lists, adds and removes tiers. Their limits are edited with all others. */
export function Tiers() {
  const tiers = useQuery(tiersQuery);
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ['operations'] });
  const removing = useWrite(removeTier, (_, name) => {
    announce(`The tier “${name}” is removed.`);
    return refresh();
  });
  return (
    <Card title="Tiers">
      <Loaded query={tiers} waiting={<Skeleton className="h-24" />}>
        {(items) => (
          <ul className="space-y-2">
            {items.map(({ name, basedOn, shipped }) => (
              <li key={name} className="flex items-center justify-between gap-x-4">
                <span className="min-w-0 wrap-anywhere">
                  <strong>{name}</strong>
                  {!shipped && <span className="text-muted">, based on {basedOn}</span>}
                </span>
                {!shipped && (
                  <Button look="quiet" busy={removing.busy} busyText="Removing" onClick={() => removing.run(name)}>
                    Remove<span className="sr-only"> {name}</span>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {removing.problem && <ProblemNotice problem={removing.problem} action="changing" retry={removing.retry} />}
      <NewTier onAdded={refresh} />
    </Card>
  );
}

function NewTier({ onAdded }: { onAdded: () => unknown }) {
  const [tier, setTier] = useState('');
  const [basedOn, setBasedOn] = useState<ShippedTier>('free');
  const [missing, setMissing] = useState(false);
  const adding = useWrite(putTier, ({ name }) => {
    setTier('');
    announce(`The tier “${name}” is added. Edit its limits in the list of limits.`);
    return onAdded();
  });
  const invalid = adding.problem?.fields[0]?.message;
  return (
    <form
      noValidate
      className="space-y-3"
      onSubmit={(submit) => {
        submit.preventDefault();
        setMissing(tier.trim() === '');
        if (tier.trim() !== '') adding.run({ tier: tier.trim(), basedOn });
      }}
    >
      <Field
        label="Name of the new tier"
        name="tierName"
        autoComplete="off"
        error={missing ? 'Enter a name, such as “partner”.' : invalid}
        value={tier}
        onChange={(typed) => {
          adding.clear();
          setTier(typed);
        }}
      />
      <Select
        label="Based on"
        hint="It has this tier’s limits until you change them."
        value={basedOn}
        options={bases}
        onChange={setBasedOn}
      />
      {adding.problem && invalid === undefined && (
        <ProblemNotice problem={adding.problem} action="changing" retry={adding.retry} />
      )}
      <Button type="submit" look="quiet" busy={adding.busy} busyText="Adding the tier">
        Add tier
      </Button>
    </form>
  );
}
