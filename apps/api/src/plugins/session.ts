import { randomBytes } from 'node:crypto';
import type { Role, User } from '@minitickets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import type { Api } from '../deps.ts';
import { fail } from '../errors.ts';
import { createSession, endSession, touchSession } from '../queries/sessions.ts';

const COOKIE = 'sid';

/**
 * Looks up who is calling, for every route of this scope. If Redis is away a request with a `sid` fails here (503), before
 * the limiter: treated as logged out, people would be sent to a log-in that cannot work either.
 */
export function readSessions(app: Api, redis: Redis) {
  app.decorateRequest('viewer', null);
  app.addHook('onRequest', async (request) => {
    const sid = request.cookies[COOKIE];
    if (!sid) return;
    const user = await touchSession(redis, sid);
    if (user) request.viewer = { user, via: 'session' };
  });
}

/** Begins a session in a new id; the one that the request came with, whoever set it, is dead (session fixation). */
export async function startSession(redis: Redis, request: FastifyRequest, reply: FastifyReply, user: User) {
  const sid = randomBytes(32).toString('base64url');
  await createSession(redis, sid, user);
  const before = request.cookies[COOKIE];
  if (before) await endSession(redis, before);
  // Secure on https only, as seen by the trusted proxy: a Secure cookie over plain http://localhost would be dropped.
  reply.setCookie(COOKIE, sid, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    maxAge: 30 * 24 * 3600,
  });
}

/** Ends the request's session. */
export async function leaveSession(redis: Redis, request: FastifyRequest, reply: FastifyReply) {
  const sid = request.cookies[COOKIE];
  if (sid) await endSession(redis, sid);
  clearSessionCookie(request, reply);
}

/** Tells the browser to forget its `sid`. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.clearCookie(COOKIE, { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' });
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

/** Makes a route hook: only for people of one of these roles. */
export function requireRole(...roles: Role[]) {
  return async (request: FastifyRequest) => {
    const { user } = viewerOf(request);
    if (!roles.includes(user.role)) fail({ kind: 'forbidden', reason: `This is for the role ${roles.join(' or ')}.` });
  };
}

/** Who is calling, behind `requireUser`. */
export function viewerOf(request: FastifyRequest) {
  return request.viewer ?? fail({ kind: 'unauthenticated' });
}
