import { pages } from '@minitickets/contract';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { Shell } from './interface/shell.tsx';
import { readSetUp, writeSetUp } from './limiter/set-up.ts';
import { EventsPage } from './pages/events.tsx';
import { FailurePage } from './pages/failure.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { localPath } from './return-to.ts';

/** Every page in one list. The list of events is in the main bundle; the others are loaded on demand. */
const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => <NotFoundPage what="page" />,
  errorComponent: FailurePage,
});

const eventsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.events,
  validateSearch: searchedFor,
  component: EventsPage,
});

const eventRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.event,
  component: lazyRouteComponent(() => import('./pages/event.tsx'), 'EventPage'),
});

const bookingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.bookings,
  component: lazyRouteComponent(() => import('./pages/bookings.tsx'), 'BookingsPage'),
});

const bookingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.booking,
  component: lazyRouteComponent(() => import('./pages/booking.tsx'), 'BookingPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.account,
  component: lazyRouteComponent(() => import('./pages/account.tsx'), 'AccountPage'),
});

const operationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.operations,
  component: lazyRouteComponent(() => import('./pages/operations.tsx'), 'OperationsPage'),
});

const limiterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.limiter,
  validateSearch: (search: Record<string, unknown>) => writeSetUp(readSetUp(search)),
  component: lazyRouteComponent(() => import('./pages/limiter.tsx'), 'LimiterPage'),
});

const decisionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.decisions,
  component: lazyRouteComponent(() => import('./pages/decisions.tsx'), 'DecisionsPage'),
});

const ladderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.ladder,
  component: lazyRouteComponent(() => import('./pages/ladder.tsx'), 'LadderPage'),
});

const answersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.answers,
  component: lazyRouteComponent(() => import('./pages/answers.tsx'), 'AnswersPage'),
});

const decisionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.decision,
  validateSearch: runOf,
  // A link to a run scrolls to the experiment.
  beforeLoad: ({ search, params, location }) => {
    if (search.run === undefined || location.hash !== '') return;
    throw redirect({ to: '/decisions/$name', params, search, hash: 'experiment', replace: true });
  },
  loader: async ({ params }) => {
    const { loadDecision } = await import('./decisions/load.ts');
    return (await loadDecision(params.name)) ?? Promise.reject(notFound());
  },
  // Cards are part of the build, so they never become stale.
  staleTime: Number.POSITIVE_INFINITY,
  notFoundComponent: () => <NotFoundPage what="decision" />,
  component: lazyRouteComponent(() => import('./pages/decision.tsx'), 'DecisionPage'),
});

const organiseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.organise,
  component: lazyRouteComponent(() => import('./pages/organise.tsx'), 'OrganisePage'),
});

const newEventRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.newEvent,
  component: lazyRouteComponent(() => import('./pages/new-event.tsx'), 'NewEventPage'),
});

const ownEventRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.ownEvent,
  component: lazyRouteComponent(() => import('./pages/own-event.tsx'), 'OwnEventPage'),
});

const doorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.door,
  component: lazyRouteComponent(() => import('./pages/door.tsx'), 'DoorPage'),
});

const logInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.logIn,
  validateSearch: returnTo,
  component: lazyRouteComponent(() => import('./pages/log-in.tsx'), 'LogInPage'),
});

const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: pages.register,
  validateSearch: returnTo,
  component: lazyRouteComponent(() => import('./pages/register.tsx'), 'RegisterPage'),
});

const routeTree = rootRoute.addChildren([
  eventsRoute,
  eventRoute,
  bookingsRoute,
  bookingRoute,
  accountRoute,
  limiterRoute,
  decisionsRoute,
  ladderRoute,
  answersRoute,
  decisionRoute,
  operationsRoute,
  organiseRoute,
  newEventRoute,
  ownEventRoute,
  doorRoute,
  logInRoute,
  registerRoute,
]);

/** @param history for prerendering; by default the browser's own */
export function createShopRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    ...(history && { history }),
    defaultPreload: 'intent',
    // Prerendering needs no scrolling, and the router would write an inline script for it.
    scrollRestoration: history === undefined,
    // Keep values as strings: the router's default would turn `?search=2026` into a number.
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    stringifySearch: (search) => {
      const query = new URLSearchParams(
        Object.entries(search).filter(([, value]) => typeof value === 'string'),
      ).toString();
      return query === '' ? '' : `?${query}`;
    },
    defaultErrorComponent: FailurePage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createShopRouter>;
  }
}

function returnTo(search: Record<string, unknown>): { returnTo?: string } {
  const path = localPath(search.returnTo);
  return path === undefined ? {} : { returnTo: path };
}

function runOf(search: Record<string, unknown>): { run?: string } {
  const { run } = search;
  return typeof run === 'string' && /^[\da-f-]{36}$/i.test(run) ? { run } : {};
}

function searchedFor(query: Record<string, unknown>): { search?: string } {
  const search = query.search;
  return typeof search === 'string' && search !== '' ? { search: search.slice(0, 100) } : {};
}
