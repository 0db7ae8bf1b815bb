import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { logOut } from '../api/calls.ts';
import { sessionQuery } from '../api/queries.ts';
import { changeUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { localPath } from '../return-to.ts';
import { Announcer, announce } from './announcer.tsx';
import { Icon } from './icon.tsx';
import { ProblemNotice } from './notice.tsx';

/** The header and footer around every page. */
export function Shell() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leaving = useWrite(logOut, async () => {
    await navigate({ to: '/' });
    changeUser(client, null);
    announce('You are logged out.');
  });
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only rounded-control bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:absolute focus:left-4 focus:top-3 focus:z-10"
      >
        Skip to the content
      </a>
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-x-6 px-4 py-2 sm:px-6">
          <Link to="/" className="flex min-h-11 items-center gap-2 text-lg font-bold tracking-tight">
            <span className="grid size-8 place-items-center rounded-lg bg-accent text-on-accent">
              <Icon name="ticket" />
            </span>
            <span className="max-[30rem]:sr-only">MiniTickets</span>
          </Link>
          <nav aria-label="Main" className="flex flex-wrap items-center gap-x-4 sm:gap-x-6">
            <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={navClass}>
              Events
            </Link>
            <Link to="/decisions" activeOptions={{ includeSearch: false }} className={navClass}>
              Decisions
            </Link>
            <Link to="/limiter" className={navClass}>
              Limiter
            </Link>
            <Account onLogOut={() => leaving.run(undefined)} />
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-6xl grow px-4 py-8 sm:px-6 sm:py-10 print:p-0">
        {leaving.problem && (
          <div className="mb-6">
            <ProblemNotice problem={leaving.problem} action="logging_out" retry={leaving.retry} />
          </div>
        )}
        <Outlet />
      </main>
      <footer className="border-t border-line text-sm text-muted print:hidden">
        <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-6 gap-y-1 px-4 py-5 sm:px-6">
          <p>A ticket shop for studying system design. Nothing here costs real money.</p>
          <p className="flex flex-wrap gap-x-5">
            <Link to="/decisions" className={footerClass}>
              Decisions
            </Link>
            <Link to="/limiter" className={footerClass}>
              Limiter
            </Link>
            <Link to="/operations" className={footerClass}>
              Operations
            </Link>
            <Link to="/organise" className={footerClass}>
              Organise
            </Link>
            <a href="/docs" className={footerClass}>
              API reference
            </a>
          </p>
        </div>
      </footer>
      <Announcer />
    </div>
  );
}

const navClass =
  'inline-flex min-h-11 items-center font-medium text-muted hover:text-ink aria-[current=page]:text-ink aria-[current=page]:underline decoration-accent decoration-2 underline-offset-8';

const footerClass = 'underline underline-offset-4 hover:text-ink';

/** Reserves the space of the log-in link while the session loads, so that a narrow page does not shift. */
function LogInPlaceholder() {
  return (
    <span aria-hidden="true" className={clsx(navClass, 'invisible')}>
      Log in
    </span>
  );
}

function Account({ onLogOut }: { onLogOut: () => void }) {
  const { data: user, isError } = useQuery(sessionQuery);
  const here = useRouterState({ select: (state) => localPath(state.location.href) ?? '/' });
  if (user === null) {
    return (
      <Link to="/log-in" search={here === '/' ? {} : { returnTo: here }} className={navClass}>
        Log in
      </Link>
    );
  }
  // If the session cannot be loaded, the links to the user's pages stay: those pages explain the failure.
  if (user === undefined && !isError) return <LogInPlaceholder />;
  return (
    <>
      <Link to="/bookings" className={navClass}>
        My bookings
      </Link>
      {user?.role === 'organiser' && (
        <Link to="/organise" className={clsx(navClass, 'max-sm:hidden')}>
          Organise
        </Link>
      )}
      {user?.role === 'admin' && (
        <Link to="/operations" className={clsx(navClass, 'max-sm:hidden')}>
          Operations
        </Link>
      )}
      <Link to="/account" className={navClass}>
        <span className={clsx(user && 'sm:sr-only')}>Account</span>
        {user && <span className="max-w-40 truncate max-sm:hidden"> {user.name}</span>}
      </Link>
      {user && (
        <button type="button" className={clsx(navClass, 'max-sm:hidden')} onClick={onLogOut}>
          Log out
        </button>
      )}
    </>
  );
}
