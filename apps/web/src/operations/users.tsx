import type { User } from '@minitickets/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeTier, findUser, tiersQuery, unlockLogin } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Select } from '../interface/select.tsx';
import { UserApiKeys } from './user-api-keys.tsx';

/** Finds a user by e-mail, and changes the tier of the user and of each API key. */
export function Users() {
  const [email, setEmail] = useState('');
  const [error, setError] = useState<string>();
  const [found, setFound] = useState<User | 'nobody'>();
  const finding = useWrite(findUser, (user) => {
    setFound(user ?? 'nobody');
    announce(user ? `Found ${user.name}, ${user.role}, ${user.tier} tier.` : 'No account has this e-mail.');
  });
  return (
    <Card title="Users">
      <form
        noValidate
        className="space-y-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          setFound(undefined);
          const typed = email.trim();
          setError(typed === '' ? 'Enter the e-mail of an account.' : undefined);
          if (typed !== '') finding.run(typed);
        }}
      >
        <Field
          label="E-mail"
          name="userEmail"
          type="email"
          autoComplete="off"
          hint="The full address; case does not matter."
          error={error}
          value={email}
          onChange={setEmail}
        />
        {finding.problem && <ProblemNotice problem={finding.problem} action="reading" retry={finding.retry} />}
        <Button type="submit" look="quiet" busy={finding.busy} busyText="Searching">
          Find user
        </Button>
      </form>
      {found === 'nobody' && <Notice tone="calm" title="No account has this e-mail." />}
      {found && found !== 'nobody' && <FoundUser key={found.id} user={found} onChanged={setFound} />}
    </Card>
  );
}

function FoundUser({ user, onChanged }: { user: User; onChanged: (user: User) => void }) {
  const [done, setDone] = useState(false);
  const [tier, setTier] = useState(user.tier);
  const tiers = useQuery(tiersQuery).data ?? [];
  const names = new Set([user.tier, ...tiers.map(({ name }) => name)]);
  const changing = useWrite(changeTier, (changed) => {
    setDone(true);
    onChanged(changed);
    announce(`${changed.name} is now on the ${changed.tier} tier.`);
  });
  const unlocking = useWrite(unlockLogin, () => announce(`${user.name} can log in from any browser again.`));
  return (
    <div className="space-y-3 rounded-control bg-sunken p-4">
      <div>
        <p className="font-semibold">{user.name}</p>
        <p className="wrap-anywhere">{user.email}</p>
        <p className="text-sm text-muted">
          {user.role}, <strong>{user.tier} tier</strong>
        </p>
        <code className="block text-xs wrap-anywhere text-muted">{user.id}</code>
      </div>
      {done && (
        <p className="font-medium text-good">Changed. It applies from the user’s next request, on every task.</p>
      )}
      {changing.problem && <ProblemNotice problem={changing.problem} action="changing" retry={changing.retry} />}
      <Select label="Tier" value={tier} options={[...names].map((name) => [name, name])} onChange={setTier} />
      <Button
        busy={changing.busy}
        busyText="Changing the tier"
        blocked={tier === user.tier}
        onClick={() => {
          setDone(false);
          changing.run({ id: user.id, tier });
        }}
      >
        Change tier
      </Button>
      {unlocking.problem && <ProblemNotice problem={unlocking.problem} action="changing" retry={unlocking.retry} />}
      <Button look="quiet" busy={unlocking.busy} busyText="Unlocking" onClick={() => unlocking.run(user.id)}>
        Forget failed log-ins
      </Button>
      <UserApiKeys user={user} />
    </div>
  );
}
