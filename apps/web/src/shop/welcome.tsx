import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../interface/icon.tsx';

/** Introduces the project on the first page, with links to everything but the shop itself. */
export function Welcome() {
  return (
    <section aria-labelledby="welcome" className="rounded-card bg-accent-soft p-4 sm:p-5">
      <h2 id="welcome" className="sr-only">
        What this is
      </h2>
      <p className="max-w-3xl">
        <strong>A complete ticket shop, built for studying system design.</strong> Book something below, or look behind
        the scenes: several API tasks, one shared rate limit, no overselling.
      </p>
      <ul className="mt-3 flex flex-wrap gap-2 sm:grid sm:grid-cols-2 lg:grid-cols-4">
        <Door icon="flask" name="Decisions" text="predict, run, see the proof">
          {(className, words) => (
            <Link to="/decisions" className={className}>
              {words}
            </Link>
          )}
        </Door>
        <Door icon="gauge" name="Drive the limiter" text="real requests, one bucket">
          {(className, words) => (
            <Link to="/limiter" className={className}>
              {words}
            </Link>
          )}
        </Door>
        <Door icon="desk" name="Operations" text="live traffic and limits">
          {(className, words) => (
            <Link to="/operations" className={className}>
              {words}
            </Link>
          )}
        </Door>
        <Door icon="book" name="API reference" text="try every endpoint">
          {(className, words) => (
            <a href="/docs" className={className}>
              {words}
            </a>
          )}
        </Door>
      </ul>
    </section>
  );
}

function Door({
  icon,
  name,
  text,
  children,
}: {
  icon: IconName;
  name: string;
  text: string;
  children: (className: string, words: ReactNode) => ReactNode;
}) {
  return (
    <li className="max-sm:grow">
      {children(
        'flex h-full min-h-11 items-center gap-3 rounded-control bg-surface px-3 py-2 inset-ring inset-ring-line hover:inset-ring-accent max-sm:justify-center',
        <>
          <span className="text-accent max-sm:hidden">
            <Icon name={icon} />
          </span>
          <span className="min-w-0">
            <span className="block font-semibold leading-tight">{name}</span>
            <span className="block text-sm text-muted max-sm:hidden">{text}</span>
          </span>
        </>,
      )}
    </li>
  );
}
