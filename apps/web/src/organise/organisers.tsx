import type { User } from '@minitickets/contract';
import type { ReactNode } from 'react';
import { OnlyFor } from '../account/only-for.tsx';
import { Private } from '../account/private.tsx';

/** Renders its children for organisers and admins only. */
export function Organisers({ title, children }: { title: string; children: (user: User) => ReactNode }) {
  return (
    <Private>
      {(user) => (user.role === 'customer' ? <OnlyFor title={title} requiredRole="organiser" /> : children(user))}
    </Private>
  );
}
