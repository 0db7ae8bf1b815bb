import type { ReactNode } from 'react';

/** Stands where a list would be, and says why there is none. */
export function EmptyList({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="space-y-2 rounded-card bg-sunken p-8 text-center">
      <p className="text-lg font-semibold">{title}</p>
      {children}
    </div>
  );
}
