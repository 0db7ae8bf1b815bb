import type { User } from '@minitickets/contract';
import type { ReactNode } from 'react';
import { OnlyFor } from '../account/only-for.tsx';
import { Private } from '../account/private.tsx';

/** What only those who run events see. */
export function Organisers({ title, children }: { title: string; children: (user: User) => ReactNode }) {
  return (
    <Private>
      {(user) => (user.role === 'customer' ? <OnlyFor title={title} who="organiser" /> : children(user))}
    </Private>
  );
}
