import { randomBytes } from 'node:crypto';
import type { Role, Tier, User } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import type { Connection } from '../db/client.ts';
import type { Api, Deps, Viewer } from '../deps.ts';
import { fail } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import { createSession, endSession, endSessionsOf, setTierOfSessions, touchSession } from '../queries/sessions.ts';
import { passwordHashOf, replacePasswordHash, roleOfUser, tierOfUser } from '../queries/users.ts';
import { cookieValues } from '../rules/cookie-values.ts';
import { sessionOwner } from '../rules/session-owner.ts';
import { meaningOf } from './error-mapping.ts';
import { isHttps } from './public-url.ts';

const COOKIE = 'sid';
/** A tier that changes faster than it is read is looked at so often. */
const MOST_LOOKS = 5;

/**
 * Looks up who is calling, for every route of this scope. If Redis is away a request with a `sid` fails here (503), before
 * the limiter: treated as logged out, people would be sent to a log-in that cannot work either.
 */
export function readSessions(app: Api, { config, redis }: Deps) {
  app.decorateRequest('viewer', null);
  // A session can outlive its account: whoever finds that out, a query or PostgreSQL, it ends all that the account had.
  app.setErrorHandler(async (error, request, reply) => {
    if (meaningOf(error)?.kind === 'account-gone' && request.viewer?.via === 'session') {
      await endSessionsOf(redis, sessionOwner(config.appSecret, request.viewer.user.id)).catch((cause: unknown) => {
        request.log.warn({ err: cause }, 'the sessions of an account that is gone were not ended');
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
  }: { request: FastifyRequest; reply: FastifyReply; account: User & { passwordHash: string }; password: string },
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
 * Begins a session in a new id, and ends every session that the request presented, whoever set its id (session fixation).
 * @param isStillEntitled is asked once the session exists, so that nothing can change between the question and the session
 * @returns the user as their sessions know them now
 * @throws TicketingError invalid-credentials if `isStillEntitled` says no
 */
export async function startSession(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  user: User,
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
  // Secure on https only, as seen by the trusted proxy: a Secure cookie over plain http://localhost would be dropped.
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
 * Makes the copies of a tier in a user's sessions what PostgreSQL says. Call it after `written` was written into one of them:
 * whoever writes looks afterwards whether it is still true, so that the last to write, a log-in or a change, leaves the truth.
 */
export async function keepTierCurrent({ config, db, redis }: Deps, userId: string, written: Tier) {
  let known = written;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
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

/** Tells the browser to forget its `sid`. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.clearCookie(COOKIE, { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(request) });
}

/** A route hook: only for callers who proved who they are. */
export async function requireUser(request: FastifyRequest) {
  viewerOf(request);
}

/** A route hook: only for people in a browser session; an API key cannot make keys or end sessions. */
export async function requireSession(request: FastifyRequest) {
  if (viewerOf(request).via !== 'session')
    fail({ kind: 'forbidden', reason: 'This needs a session; an API key is not enough.' });
}

/**
 * Makes a route hook: only for people of one of these roles, by what PostgreSQL says now. A session keeps the role that its
 * user logged in with, and nothing tells it of another one; so whoever lost a role has lost it with their next request.
 */
export function requireRole(db: Connection, ...roles: Role[]) {
  return async (request: FastifyRequest) => {
    const viewer = await withRoleOfNow(db, viewerOf(request));
    if (!roles.includes(viewer.user.role))
      fail({ kind: 'forbidden', reason: `This is for the role ${roles.join(' or ')}.` });
    request.viewer = viewer;
  };
}

/** The same caller in the role that they have now. An API key was looked up in PostgreSQL with this very request. */
export async function withRoleOfNow(db: Connection, viewer: Viewer): Promise<Viewer> {
  if (viewer.via === 'api-key') return viewer;
  const role = (await roleOfUser(db, viewer.user.id)) ?? fail({ kind: 'account-gone' });
  return { ...viewer, user: { ...viewer.user, role } };
}

/** Who is calling, behind `requireUser`. */
export function viewerOf(request: FastifyRequest) {
  return request.viewer ?? fail({ kind: 'unauthenticated' });
}
