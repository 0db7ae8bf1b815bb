import type { Operation } from './paths.ts';
import { accountRoutes } from './routes/accounts.ts';
import { bookingRoutes } from './routes/bookings.ts';
import { eventRoutes } from './routes/events.ts';
import { limitRoutes } from './routes/limits.ts';
import { operatorRoutes } from './routes/operations.ts';
import { playgroundRoutes } from './routes/playground.ts';
import type { Route } from './routes/route.ts';
import { ticketRoutes } from './routes/tickets.ts';

/** Every operation of the API. `app.ts` registers from this table, the pages call by it, and `/openapi.json` is made from it. */
export const routes = {
  ...accountRoutes,
  ...eventRoutes,
  ...bookingRoutes,
  ...ticketRoutes,
  ...playgroundRoutes,
  ...limitRoutes,
  ...operatorRoutes,
} as const satisfies Record<Operation, Route>;
export type Routes = typeof routes;
export type { Access, Route } from './routes/route.ts';
