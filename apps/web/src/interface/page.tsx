import { clsx } from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';

/** A screen reader reads the first page by itself. */
let firstTitleRead = false;

/**
 * A page with its heading and document title. When the page or its title changes (a held booking becomes tickets), the
 * focus moves to the heading, so that it is read and Tab continues from there.
 */
export function Page({
  title,
  lead,
  picture,
  width = 'wide',
  children,
}: {
  title: string;
  lead?: ReactNode;
  /** Shown above the heading. */
  picture?: ReactNode;
  width?: 'wide' | 'narrow';
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · MiniTickets`;
    if (firstTitleRead) heading.current?.focus({ preventScroll: true });
    firstTitleRead = true;
  }, [title]);
  return (
    <div className={clsx('space-y-6', width === 'narrow' && 'mx-auto max-w-xl')}>
      {picture}
      <div className="space-y-2">
        <h1 ref={heading} tabIndex={-1} className="text-3xl font-bold sm:text-4xl">
          {title}
        </h1>
        {lead && <div className="max-w-2xl text-lg text-muted">{lead}</div>}
      </div>
      {children}
    </div>
  );
}
