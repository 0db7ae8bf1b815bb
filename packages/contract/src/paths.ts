/**
 * The method and path of every operation, in one place. It contains no schemas, so that pages and k6 scripts stay small when
 * they import it. `routes/` describes the rest of each operation.
 */
export const paths = {
  register: ['POST', '/v1/users'],
  logIn: ['POST', '/v1/sessions'],
  readSession: ['GET', '/v1/sessions/current'],
  logOut: ['DELETE', '/v1/sessions/current'],
  logOutEverywhere: ['DELETE', '/v1/sessions'],
  changePassword: ['PUT', '/v1/users/current/password'],
  createApiKey: ['POST', '/v1/api-keys'],
  listApiKeys: ['GET', '/v1/api-keys'],
  revokeApiKey: ['DELETE', '/v1/api-keys/:id'],
  listEvents: ['GET', '/v1/events'],
  readEvent: ['GET', '/v1/events/:event'],
  createEvent: ['POST', '/v1/events'],
  changeEvent: ['PATCH', '/v1/events/:event'],
  addTicketType: ['POST', '/v1/events/:event/ticket-types'],
  changeTicketType: ['PATCH', '/v1/events/:event/ticket-types/:ticketType'],
  readDoorList: ['GET', '/v1/events/:event/door-list'],
  createBooking: ['POST', '/v1/bookings'],
  listBookings: ['GET', '/v1/bookings'],
  readBooking: ['GET', '/v1/bookings/:id'],
  cancelBooking: ['DELETE', '/v1/bookings/:id'],
  payBooking: ['POST', '/v1/bookings/:id/payment'],
  receivePaymentEvent: ['POST', '/v1/payments/webhook'],
  readTicket: ['GET', '/v1/tickets/:id'],
  readTicketCode: ['GET', '/v1/tickets/:id.svg'],
  checkIn: ['POST', '/v1/check-ins'],
  spendPlaygroundTokens: ['POST', '/v1/playground/requests'],
  readPlaygroundBucket: ['GET', '/v1/playground/bucket'],
  listLimits: ['GET', '/v1/admin/limits'],
  changeLimit: ['PUT', '/v1/admin/limits/:policy/:tier'],
  resetLimit: ['DELETE', '/v1/admin/limits/:policy/:tier'],
  listTiers: ['GET', '/v1/admin/tiers'],
  putTier: ['PUT', '/v1/admin/tiers/:tier'],
  removeTier: ['DELETE', '/v1/admin/tiers/:tier'],
  listIdentityLimits: ['GET', '/v1/admin/limits/identities'],
  setIdentityLimit: ['PUT', '/v1/admin/limits/:policy/identities/:identity'],
  removeIdentityLimit: ['DELETE', '/v1/admin/limits/:policy/identities/:identity'],
  listLimitChanges: ['GET', '/v1/admin/limits/changes'],
  readLimitActivity: ['GET', '/v1/admin/limits/activity'],
  readLimitActivitySeries: ['GET', '/v1/admin/limits/activity/series'],
  explainBucket: ['GET', '/v1/admin/limits/:policy/buckets/:bucket'],
  liftSuppression: ['DELETE', '/v1/admin/suppressions/:bucket'],
  findUser: ['GET', '/v1/admin/users'],
  changeUser: ['PATCH', '/v1/admin/users/:id'],
  endUserSessions: ['DELETE', '/v1/admin/users/:id/sessions'],
  listUserApiKeys: ['GET', '/v1/admin/users/:id/api-keys'],
  changeUserApiKey: ['PATCH', '/v1/admin/users/:id/api-keys/:key'],
  revokeUserApiKey: ['DELETE', '/v1/admin/users/:id/api-keys/:key'],
  unlockLogin: ['DELETE', '/v1/admin/users/:id/login-failures'],
  listTasks: ['GET', '/v1/admin/tasks'],
  listInventory: ['GET', '/v1/admin/events'],
  runAudit: ['POST', '/v1/admin/audits'],
} as const satisfies Record<string, readonly [Method, `/v1/${string}`]>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Operation = keyof typeof paths;

/** The names of a path's parameters: `'policy' | 'tier'` for `/v1/admin/limits/:policy/:tier`. */
export type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamOf<Head> | ParamsOf<Rest>
  : ParamOf<Path>;
type ParamOf<Segment extends string> = Segment extends `:${infer Name}.${string}`
  ? Name
  : Segment extends `:${infer Name}`
    ? Name
    : never;

/**
 * Returns an operation's path with its parameters filled in and encoded: `/v1/bookings/42`.
 * @throws RangeError if a parameter is missing, which the types rule out
 */
export function pathOf<Name extends Operation>(
  operation: Name,
  params: Readonly<Record<ParamsOf<(typeof paths)[Name][1]>, string>>,
): string {
  const values: Readonly<Record<string, string>> = params;
  return paths[operation][1].replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`${operation} needs the parameter ${name}`);
    return encodeURIComponent(value);
  });
}
