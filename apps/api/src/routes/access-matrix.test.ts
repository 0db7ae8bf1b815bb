import { readFileSync } from 'node:fs';
import { type Access, type Booking, type Operation, paths, routes } from '@minitickets/contract';
import { beforeAll, expect, test } from 'vitest';
import { users } from '../db/schema.ts';
import { passwordQueue } from '../passwords.ts';
import { person } from '../testing/people.ts';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

/** Every operation of the contract × every kind of caller, with what each is answered (broken access control, IDOR). */

const callers = [
  'anonymous',
  'customer',
  'otherCustomer',
  'organiser',
  'otherOrganiser',
  'admin',
  'customerKey',
  'adminKey',
] as const;
type Caller = (typeof callers)[number];

const PASSWORD = 'long and unguessed';
const made = useApp();
let passwordHash = '';
beforeAll(async () => {
  passwordHash = await passwordQueue().hash(PASSWORD);
});

type World = Awaited<ReturnType<typeof world>>;

/** The people, and what belongs to them: the booking, its ticket and the API key to `customer`; both events to `organiser`. */
async function world() {
  const at = await shop(made);
  const draft = await shop(made, { status: 'draft', organiserId: at.organiser.user.id });
  const people = {
    customer: await person(made),
    otherCustomer: await person(made),
    organiser: at.organiser,
    otherOrganiser: await person(made, { role: 'organiser' }),
    admin: await person(made, { role: 'admin' }),
  };
  await made.db.update(users).set({ passwordHash });
  const { sid, user } = people.customer;
  const held = (await at.book(sid)).json() as Booking;
  const paid = (await at.pay(sid, (await at.book(sid)).json())).json() as Booking;
  const [ticket] = paid.tickets;
  if (!ticket) throw new Error('the payment gave no ticket');
  const keyOf = async (owner: string) =>
    (await at.call('POST', '/v1/api-keys', owner, { name: 'A program' })).json() as { id: string; key: string };
  const keys = { customerKey: await keyOf(sid), adminKey: await keyOf(people.admin.sid) };
  return { at, draft, people, keys, user, held, ticket };
}

/** An admin's own call of an operation that needs no state. */
type Call = { params?: Record<string, string>; body?: unknown };
type Row = {
  /** What the caller sends: always the same resource, whoever calls. */
  call?: (world: World) => Call;
  /** The status for those who may call it; the first of the contract's table if left out. */
  success?: number;
  /** Where the status differs from what `access` alone gives. */
  except?: Partial<Record<Caller, number>>;
};

const everybody = (status: number) => Object.fromEntries(callers.map((caller) => [caller, status]));
const onlyCustomers = { otherCustomer: 404, organiser: 404, otherOrganiser: 404, admin: 404, adminKey: 404 };
const aDay = 24 * 3_600_000;
const inDays = (days: number) => new Date(Date.now() + days * aDay).toISOString();
const numbers = { capacity: 30, refillTokens: 5, refillIntervalMs: 1000, onStoreFailure: 'open', suppression: null };
const ticketType = { name: 'Balcony', priceMinor: 900, currency: 'EUR', capacity: 4 };
const ofUser = ({ user }: World) => ({ params: { id: user.id } });
const ofHeld = ({ held }: World) => ({ params: { id: held.id } });
const ofTicket = ({ ticket }: World) => ({ params: { id: ticket.id } });

const rows: Record<Operation, Row> = {
  register: {
    call: () => ({ body: { email: `${crypto.randomUUID()}@example.test`, password: PASSWORD, name: 'A' } }),
  },
  logIn: {
    call: () => ({ body: { email: `${crypto.randomUUID()}@example.test`, password: 'a guess' } }),
    except: everybody(401),
  },
  readSession: {},
  logOut: {},
  logOutEverywhere: {},
  changePassword: {
    call: () => ({ body: { currentPassword: PASSWORD, newPassword: 'another, and as long' } }),
  },
  createApiKey: { call: () => ({ body: { name: 'Another program' } }) },
  listApiKeys: {},
  revokeApiKey: {
    call: ({ keys }) => ({ params: { id: keys.customerKey.id } }),
    except: { otherCustomer: 404, organiser: 404, otherOrganiser: 404, admin: 404 },
  },
  listEvents: {},
  readEvent: {
    call: ({ draft }) => ({ params: { event: draft.event.id } }),
    except: { anonymous: 404, customer: 404, otherCustomer: 404, otherOrganiser: 404, customerKey: 404 },
  },
  createEvent: {
    call: () => ({
      body: {
        ...{ name: 'Another evening', venue: 'Town Hall', timeZone: 'Europe/Berlin' },
        ...{ startsAt: inDays(30), salesOpenAt: inDays(1), salesCloseAt: inDays(29) },
      },
    }),
  },
  changeEvent: {
    call: ({ at }) => ({ params: { event: at.event.id }, body: { venue: 'Opera' } }),
    except: { otherOrganiser: 404 },
  },
  addTicketType: {
    call: ({ at }) => ({ params: { event: at.event.id }, body: ticketType }),
    except: { otherOrganiser: 404 },
  },
  changeTicketType: {
    call: ({ at }) => ({ params: { event: at.event.id, ticketType: `${at.typeIds[0]}` }, body: { name: 'Stalls' } }),
    except: { otherOrganiser: 404 },
  },
  readDoorList: { call: ({ at }) => ({ params: { event: at.event.id } }), except: { otherOrganiser: 404 } },
  createBooking: { call: ({ at }) => ({ body: { eventId: at.event.id, lines: [at.lineOf(1)] } }) },
  listBookings: {},
  readBooking: { call: ofHeld, except: onlyCustomers },
  cancelBooking: { call: ofHeld, except: onlyCustomers },
  payBooking: { call: (the) => ({ ...ofHeld(the), body: { paymentToken: 'tok_accepted' } }), except: onlyCustomers },
  receivePaymentEvent: { call: () => ({ body: {} }), except: everybody(403) },
  readTicket: { call: ofTicket, except: onlyCustomers },
  readTicketCode: { call: ofTicket, success: 200, except: onlyCustomers },
  checkIn: { call: ({ ticket }) => ({ body: { code: ticket.code } }), except: { otherOrganiser: 403 } },
  spendPlaygroundTokens: {},
  readPlaygroundBucket: {},
  listLimits: {},
  changeLimit: {
    call: () => ({ params: { policy: 'playground', tier: 'free' }, body: { ...numbers, shadow: false } }),
  },
  resetLimit: { call: () => ({ params: { policy: 'playground', tier: 'free' } }) },
  listTiers: {},
  putTier: { call: () => ({ params: { tier: 'partner' }, body: { basedOn: 'pro' } }) },
  // There is no such tier.
  removeTier: { call: () => ({ params: { tier: 'nobodys' } }), success: 404 },
  listIdentityLimits: {},
  setIdentityLimit: {
    call: ({ user }) => ({
      params: { policy: 'playground', identity: `user:${user.id}` },
      body: { ...numbers, shadow: false },
    }),
  },
  // Nor such a limit.
  removeIdentityLimit: { call: () => ({ params: { policy: 'login', identity: 'ip:198.51.100.7' } }), success: 404 },
  listLimitChanges: {},
  readLimitActivity: {},
  readLimitActivitySeries: {},
  explainBucket: { call: () => ({ params: { policy: 'login', bucket: 'ip:198.51.100.7' } }) },
  // There is no such ban.
  liftSuppression: { call: () => ({ params: { bucket: 'a'.repeat(22) } }), success: 404 },
  findUser: {},
  changeUser: { call: (the) => ({ ...ofUser(the), body: { tier: 'pro' } }) },
  endUserSessions: { call: ofUser },
  listUserApiKeys: { call: ofUser },
  changeUserApiKey: {
    call: ({ user, keys }) => ({ params: { id: user.id, key: keys.customerKey.id }, body: { tier: 'pro' } }),
  },
  revokeUserApiKey: { call: ({ user, keys }) => ({ params: { id: user.id, key: keys.customerKey.id } }) },
  unlockLogin: { call: ofUser },
  listTasks: {},
  listInventory: {},
  runAudit: {},
};

const REFUSED: Record<Access, Partial<Record<Caller, number>>> = {
  everybody: {},
  user: { anonymous: 401 },
  session: { anonymous: 401, customerKey: 403, adminKey: 403 },
  organiser: { anonymous: 401, customer: 403, otherCustomer: 403, admin: 403, customerKey: 403, adminKey: 403 },
  'organiser or admin': { anonymous: 401, customer: 403, otherCustomer: 403, customerKey: 403 },
  admin: {
    ...{ anonymous: 401, customer: 403, otherCustomer: 403, organiser: 403, otherOrganiser: 403 },
    ...{ customerKey: 403, adminKey: 403 },
  },
};

function expectedOf(operation: Operation) {
  const { access, schema } = routes[operation];
  const { success = Number(Object.keys(schema.response)[0]), except = {} } = rows[operation];
  return Object.fromEntries(callers.map((caller) => [caller, REFUSED[access][caller] ?? except[caller] ?? success]));
}

async function statusFor(operation: Operation, caller: Caller, the: World) {
  const [method, path] = paths[operation];
  const { params = {}, body } = rows[operation].call?.(the) ?? {};
  const url = path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const query = operation === 'findUser' ? `?email=${the.user.email}` : '';
  const credential =
    caller === 'anonymous'
      ? {}
      : caller in the.keys
        ? { authorization: `Bearer ${the.keys[caller as keyof typeof the.keys].key}` }
        : { cookie: `sid=${the.people[caller as keyof typeof the.people].sid}` };
  const answer = await made.app.inject({
    ...{ method, url: `${url}${query}`, headers: credential, remoteAddress: newAddress() },
    ...(body !== undefined && { payload: body as object }),
  });
  return answer.statusCode;
}

/** A client address of its own for each call, so that none meets another's limit. */
let calls = 0;
function newAddress() {
  calls += 1;
  return `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
}

test.each(Object.keys(rows) as Operation[])(
  '%s answers each kind of caller as the contract says',
  async (operation) => {
    const expected = expectedOf(operation);
    const seen: Partial<Record<Caller, number>> = {};
    // Refused calls share a world, because they change nothing in it; the last call would notice.
    let the = await world();
    for (const caller of callers.toSorted((one, other) => Number(expected[other]) - Number(expected[one]))) {
      seen[caller] = await statusFor(operation, caller, the);
      if (Number(seen[caller]) < 400) the = await world();
    }
    expect(seen).toEqual(expected);
  },
);

test('SECURITY.md states how many operations and callers this matrix has', () => {
  const text = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8');
  expect(text).toContain(`${Object.keys(rows).length} operations × ${callers.length} kinds of caller`);
});
