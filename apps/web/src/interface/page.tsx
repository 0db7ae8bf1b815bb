import { clsx } from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';

/** The browser itself reads the page that was opened first. */
let firstTitleRead = false;

/**
 * A page's heading and title. After each change of page, and when a page turns into another one (a held booking into
 * tickets), the focus moves to the heading: it is read, and Tab goes on from there.
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
  /** Stands above the heading. */
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
