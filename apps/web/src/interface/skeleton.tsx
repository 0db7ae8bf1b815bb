import { clsx } from 'clsx';

/** A placeholder in the shape of the content that is loading. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={clsx('skeleton', className)} />;
}

export function PageSkeleton() {
  return (
    <div aria-busy="true" className="space-y-6">
      <p className="sr-only">Loading</p>
      <Skeleton className="h-10 w-2/3 max-w-md" />
      <Skeleton className="h-5 w-full max-w-xl" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
