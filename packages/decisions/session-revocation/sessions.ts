import { randomBytes } from 'node:crypto';
import {
  createSession,
  endSession,
  endSessionsOf,
  type SessionUser,
  touchSession,
} from '@minitickets/api/queries/sessions';
import { sessionOwner } from '@minitickets/api/rules/session-owner';
import type { Redis } from 'ioredis';

/** A task's sessions: they map a cookie to a user, and end. */
export type Sessions = {
  /** @returns the cookie */
  begin: (user: SessionUser) => Promise<string>;
  who: (cookie: string) => Promise<SessionUser | null>;
  end: (cookie: string) => Promise<void>;
  /** Ends all sessions of the user whose request came with this cookie. */
  endAll: (userId: string, cookie: string) => Promise<void>;
};

const SECRET = 'an experiment needs no secret that anyone has to guess';

/** The shipped sessions, on a task's connection to the shared Redis. */
export function shippedSessions(redis: Redis): Sessions {
  return {
    async begin(user) {
      const sid = randomBytes(32).toString('base64url');
      await createSession(redis, sid, { ...user, createdAt: new Date(0) }, sessionOwner(SECRET, user.id));
      return sid;
    },
    who: (sid) => touchSession(redis, sid),
    end: (sid) => endSession(redis, sid),
    endAll: (userId) => endSessionsOf(redis, sessionOwner(SECRET, userId)),
  };
}
