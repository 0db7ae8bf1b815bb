import type { User } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { logOut } from '../api/calls.ts';
import { changeUser, useUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { localPath } from '../return-to.ts';
import { Announcer, announce } from './announcer.tsx';
import { Icon } from './icon.tsx';
import { ProblemNotice } from './notice.tsx';

/** What stands around every page. */
export function Shell() {
  const user = useUser();
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
            <span className={clsx(user && 'max-[30rem]:sr-only')}>MiniTickets</span>
          </Link>
          <nav aria-label="Main" className="flex flex-wrap items-center gap-x-4 sm:gap-x-6">
            <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={navClass}>
              Events
            </Link>
            {user && (
              <Link to="/bookings" className={navClass}>
                My bookings
              </Link>
            )}
            <Account user={user} onLogOut={() => leaving.run(undefined)} />
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-6xl grow px-4 py-8 sm:px-6 sm:py-10 print:p-0">
        {leaving.problem && (
          <div className="mb-6">
            <ProblemNotice problem={leaving.problem} doing="logging_out" again={leaving.again} />
          </div>
        )}
        <Outlet />
      </main>
      <footer className="border-t border-line text-sm text-muted print:hidden">
        <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-6 gap-y-1 px-4 py-5 sm:px-6">
          <p>A ticket shop that is also a place to study. Nothing here costs real money.</p>
          <p>
            <a href="/docs" className="underline underline-offset-4 hover:text-ink">
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

function Account({ user, onLogOut }: { user: User | null | undefined; onLogOut: () => void }) {
  const here = useRouterState({ select: (state) => localPath(state.location.href) ?? '/' });
  if (user === undefined) return null;
  if (user === null) {
    return (
      <Link to="/log-in" search={here === '/' ? {} : { returnTo: here }} className={navClass}>
        Log in
      </Link>
    );
  }
  return (
    <>
      <span className="hidden max-w-40 truncate border-l border-line pl-6 text-muted lg:inline" title={user.email}>
        {user.name}
      </span>
      <button type="button" className={navClass} onClick={onLogOut}>
        Log out
      </button>
    </>
  );
}
