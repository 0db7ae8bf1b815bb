/**
 * The path of every page, in the router's notation: `$slug` stands for one segment. The pages' router and the API share this
 * list, so that the API answers 404 for any other address.
 */
export const pages = {
  events: '/',
  event: '/events/$slug',
  bookings: '/bookings',
  booking: '/bookings/$id',
  account: '/account',
  operations: '/operations',
  limiter: '/limiter',
  decisions: '/decisions',
  decision: '/decisions/$name',
  ladder: '/decisions/ladder',
  answers: '/decisions/answers',
  organise: '/organise',
  newEvent: '/organise/new',
  ownEvent: '/organise/$event',
  door: '/organise/$event/door',
  logIn: '/log-in',
  register: '/register',
} as const;
