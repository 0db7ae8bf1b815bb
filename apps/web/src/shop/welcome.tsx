import { Link } from '@tanstack/react-router';
import { Icon, type IconName } from '../interface/icon.tsx';

const doorClass =
  'flex h-full min-h-11 items-center gap-3 rounded-control bg-surface px-3 py-2 inset-ring inset-ring-line hover:inset-ring-accent max-sm:justify-center';

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
      <ul className="mt-3 flex flex-wrap gap-2 *:max-sm:grow sm:grid sm:grid-cols-2 lg:grid-cols-4">
        <li>
          <Link to="/decisions" className={doorClass}>
            <Door icon="flask" name="Decisions" text="predict, run, see the proof" />
          </Link>
        </li>
        <li>
          <Link to="/limiter" className={doorClass}>
            <Door icon="gauge" name="Drive the limiter" text="real requests, one bucket" />
          </Link>
        </li>
        <li>
          <Link to="/operations" className={doorClass}>
            <Door icon="desk" name="Operations" text="live traffic and limits" />
          </Link>
        </li>
        <li>
          <a href="/docs" className={doorClass}>
            <Door icon="book" name="API reference" text="try every endpoint" />
          </a>
        </li>
      </ul>
    </section>
  );
}

function Door({ icon, name, text }: { icon: IconName; name: string; text: string }) {
  return (
    <>
      <span className="text-accent max-sm:hidden">
        <Icon name={icon} />
      </span>
      <span className="min-w-0">
        <span className="block font-semibold leading-tight">{name}</span>
        <span className="block text-sm text-muted max-sm:hidden">{text}</span>
      </span>
    </>
  );
}
