import { randomBytes } from 'node:crypto';
import type { Role, Tier } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import type { Connection } from '../db/client.ts';
import { meaningOf } from '../db/failures.ts';
import type { Api, Deps, Viewer } from '../deps.ts';
import { fail } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import { createSession, endSession, endSessionsOf, setTierOfSessions, touchSession } from '../queries/sessions.ts';
import { type Account, passwordHashOf, replacePasswordHash, roleOfUser, tierOfUser } from '../queries/users.ts';
import { cookieValues } from '../rules/cookie-values.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { isHttps } from './public-url.ts';

const COOKIE = 'sid';
/** Maximum attempts to copy a tier that keeps changing. */
const MAX_TIER_READS = 5;

/**
 * Authenticates sessions for every route of this scope. If Redis is down, a request with a `sid` fails here with 503, before
 * the limiter: treating it as logged out would send people to a log-in that cannot work either.
 */
export function readSessions(app: Api, { config, redis }: Deps) {
  app.decorateRequest('viewer', null);
  // A session can outlive its account. Whoever detects that, a query or PostgreSQL, all sessions of the account end here.
  app.setErrorHandler(async (error, request, reply) => {
    if (meaningOf(error)?.kind === 'account-gone' && request.viewer?.via === 'session') {
      await endSessionsOf(redis, sessionOwner(config.appSecret, request.viewer.user.id)).catch((cause: unknown) => {
        request.log.warn({ err: cause }, 'ending the sessions of a deleted account failed');
      });
      clearSessionCookie(request, reply);
    }
    throw error;
  });
  app.addHook('onRequest', async (request) => {
    const user = await userOfSession(redis, request);
    if (user) request.viewer = { user, via: 'session' };
  });
}

/** Whose live session the request presents; null if none of them is live. */
async function userOfSession(redis: Redis, request: FastifyRequest) {
  for (const sid of cookieValues(request.headers.cookie, COOKIE)) {
    const user = await touchSession(redis, sid);
    if (user) return user;
  }
  return null;
}

/**
 * Checks again that the request's session is live. For a write that must not outlive it, under the lock that the end of the
 * session takes as well.
 * @throws TicketingError unauthenticated
 */
export async function requireLiveSession(redis: Redis, request: FastifyRequest) {
  if (!(await userOfSession(redis, request))) fail({ kind: 'unauthenticated' });
}

/**
 * Begins the session of an account whose password was just verified, and stores a stronger hash if the parameters have risen.
 * If the password is changed between its verification and this, the session ends again: the change had ended all that it saw.
 * @returns the user as their sessions know them now
 * @throws TicketingError invalid-credentials if the password was changed meanwhile
 */
export async function startVerifiedSession(
  deps: Deps,
  passwords: Passwords,
  {
    request,
    reply,
    account,
    password,
  }: { request: FastifyRequest; reply: FastifyReply; account: Account & { passwordHash: string }; password: string },
) {
  const { passwordHash, ...user } = account;
  let stored = passwordHash;
  if (passwords.isOutdated(passwordHash)) {
    const stronger = await passwords.hash(password);
    if (await replacePasswordHash(deps.db, user.id, passwordHash, stronger)) stored = stronger;
  }
  return startSession(deps, request, reply, user, async () => {
    const current = await passwordHashOf(deps.db, user.id);
    // Another log-in may have stored a stronger hash of the same password.
    return current === stored || (current !== undefined && (await passwords.verify(current, password)));
  });
}

/**
 * Starts a session under a new id, and ends every session that the request presented, whoever set its id (prevents session
 * fixation).
 * @param isStillEntitled called once the session exists, so that no change can slip in between the check and the session
 * @returns the user as their sessions now know them
 * @throws TicketingError invalid-credentials if `isStillEntitled` resolves to false
 */
export async function startSession(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  user: Account,
  isStillEntitled = async () => true,
) {
  const sid = randomBytes(32).toString('base64url');
  const { redis, config } = deps;
  await createSession(redis, sid, user, sessionOwner(config.appSecret, user.id));
  if (!(await isStillEntitled())) {
    await endSession(redis, sid);
    fail({ kind: 'invalid-credentials' });
  }
  const tier = await keepTierCurrent(deps, user.id, user.tier);
  await endPresentedSessions(redis, request);
  // Secure on https only, as reported by the trusted proxy: browsers drop a Secure cookie from http://localhost.
  reply.setCookie(COOKIE, sid, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(request),
    maxAge: 30 * 24 * 3600,
  });
  return { ...user, tier };
}

/**
 * Updates the copies of a tier in a user's sessions to PostgreSQL's value. Call it after writing `written` into one of them:
 * each writer checks afterwards whether its value still holds, so that the last writer, a log-in or a tier change, leaves the
 * right one (no lost update).
 */
export async function keepTierCurrent({ config, db, redis }: Deps, userId: string, written: Tier) {
  let known = written;
  for (let looks = 0; looks < MAX_TIER_READS; looks++) {
    const tier = await tierOfUser(db, userId);
    if (tier === undefined || tier === known) break;
    await setTierOfSessions(redis, sessionOwner(config.appSecret, userId), tier);
    known = tier;
  }
  return known;
}

/** Ends every session that the request presented. */
export async function leaveSession(redis: Redis, request: FastifyRequest, reply: FastifyReply) {
  await endPresentedSessions(redis, request);
  clearSessionCookie(request, reply);
}

async function endPresentedSessions(redis: Redis, request: FastifyRequest) {
  for (const sid of cookieValues(request.headers.cookie, COOKIE)) await endSession(redis, sid);
}

/** Deletes the browser's `sid` cookie. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.clearCookie(COOKIE, { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(request) });
}

/** Route hook that requires an authenticated caller. */
export async function requireUser(request: FastifyRequest) {
  viewerOf(request);
}

/** Route hook that requires a browser session: an API key cannot create keys or end sessions. */
export async function requireSession(request: FastifyRequest) {
  if (viewerOf(request).via !== 'session')
    fail({ kind: 'forbidden', reason: 'This requires a log-in session; an API key is not enough.' });
}

/**
 * Returns a route hook that requires one of these roles, as PostgreSQL has it now. A session keeps its user's role from
 * log-in and is not notified of changes; reading PostgreSQL makes a revoked role end with the next request.
 */
export function requireRole(db: Connection, ...roles: Role[]) {
  return async (request: FastifyRequest) => {
    const viewer = await withRoleOfNow(db, viewerOf(request));
    if (!roles.includes(viewer.user.role))
      fail({ kind: 'forbidden', reason: `This requires the role ${roles.join(' or ')}.` });
    request.viewer = viewer;
  };
}

/** Returns the caller with their current role. An API key's user was read from PostgreSQL in this request. */
export async function withRoleOfNow(db: Connection, viewer: Viewer): Promise<Viewer> {
  if (viewer.via === 'api-key') return viewer;
  const role = (await roleOfUser(db, viewer.user.id)) ?? fail({ kind: 'account-gone' });
  return { ...viewer, user: { ...viewer.user, role } };
}

/** Returns the caller of a route with `requireUser`. */
export function viewerOf(request: FastifyRequest) {
  return request.viewer ?? fail({ kind: 'unauthenticated' });
}
