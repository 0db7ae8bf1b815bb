import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OnlyFor } from '../account/only-for.tsx';
import { Private } from '../account/private.tsx';
import { limitsQuery } from '../api/operator-calls.ts';
import { Page } from '../interface/page.tsx';
import { Activity } from '../operations/activity.tsx';
import { Busiest } from '../operations/busiest.tsx';
import { Conservation } from '../operations/conservation.tsx';
import { IdentityLimits } from '../operations/identity-limits.tsx';
import { Inventory } from '../operations/inventory.tsx';
import { LimitChanges, Limits } from '../operations/limits.tsx';
import { Tasks } from '../operations/tasks.tsx';
import { Tiers } from '../operations/tiers.tsx';
import { Users } from '../operations/users.tsx';

export function OperationsPage() {
  return (
    <Private>
      {(user) => (user.role === 'admin' ? <Operations /> : <OnlyFor title="Operations" requiredRole="admin" />)}
    </Private>
  );
}

function Operations() {
  const [minutes, setMinutes] = useState(5);
  const limits = useQuery(limitsQuery).data ?? [];
  const policies = [...new Set(limits.map(({ policy }) => policy))];
  return (
    <Page
      title="Operations"
      lead="Live rate-limit decisions, the health of the tasks, ticket sales, and the limits you can change at run time."
    >
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
        <div className="min-w-0 space-y-4">
          <Activity minutes={minutes} onMinutes={setMinutes} policies={policies} />
          <Busiest minutes={minutes} policies={policies} />
          <Inventory />
          <Limits />
          <IdentityLimits />
        </div>
        <div className="min-w-0 space-y-4">
          <Tasks />
          <Conservation />
          <Users />
          <Tiers />
          <LimitChanges />
        </div>
      </div>
    </Page>
  );
}
