import type { Tier } from '@minitickets/contract';
import { useState } from 'react';
import { changeTier } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { Field } from '../parts/field.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { OneOf } from '../parts/one-of.tsx';

const tiers = [
  ['free', 'Free'],
  ['pro', 'Pro'],
] as const;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Moves a user to another tier. */
export function UserTier() {
  const [id, setId] = useState('');
  const [tier, setTier] = useState<Tier>('pro');
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<string>();
  const changing = useWrite(changeTier, (user) => {
    const sentence = `${user.name} (${user.email}) is on the ${user.tier} tier now.`;
    setDone(sentence);
    announce(sentence);
  });
  return (
    <Card title="A user’s tier">
      <form
        noValidate
        className="space-y-4"
        onSubmit={(submit) => {
          submit.preventDefault();
          setDone(undefined);
          const known = uuid.test(id.trim());
          setError(known ? undefined : 'A user id, as their account page shows it.');
          if (known) changing.run({ id: id.trim(), tier });
        }}
      >
        <Field
          label="User id"
          name="userId"
          autoComplete="off"
          hint="People find theirs on their account page."
          error={error}
          value={id}
          onChange={setId}
        />
        <OneOf label="Tier" options={tiers} value={tier} onChange={setTier} />
        {changing.problem && <ProblemNotice problem={changing.problem} doing="changing" again={changing.again} />}
        {done && (
          <Notice tone="good" title="Changed">
            <p>{done} Their next request is in it.</p>
          </Notice>
        )}
        <Button type="submit" busy={changing.busy} busyText="Changing">
          Change the tier
        </Button>
      </form>
    </Card>
  );
}
