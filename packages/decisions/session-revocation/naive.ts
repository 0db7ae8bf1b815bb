import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { SessionUser } from '@minitickets/api/queries/sessions';
import type { Sessions } from './sessions.ts';

type Claims = { id: string; user: SessionUser; issuedAt: number; endsAt: number };

const LASTS_MS = 30 * 24 * 3_600_000;
/** Shared by all tasks, so each accepts what another has signed. */
const KEY = 'the key that all tasks sign with';

/** A signed token holds the user and the expiry. Nothing is stored or looked up. */
export function signedToken(): Sessions {
  // #region signed-token
  /** Returns the token's user until it expires. */
  async function touchSession(token: string): Promise<SessionUser | null> {
    const claims = claimsOf(token);
    return claims && claims.endsAt > Date.now() ? claims.user : null;
  }

  /** The browser forgets its cookie; the server has nothing to end. */
  async function endSession() {}

  async function endSessionsOf() {}
  // #endregion
  return { begin: sign, who: touchSession, end: endSession, endAll: endSessionsOf };
}

/** The same, with a revocation list in each task. */
export function listPerTask(): Sessions {
  // #region list-per-task
  const ended = new Set<string>();
  const endedBefore = new Map<string, number>();

  /** Returns the token's user until it expires or is on the list. */
  async function touchSession(token: string): Promise<SessionUser | null> {
    const claims = claimsOf(token);
    if (!claims || claims.endsAt <= Date.now() || ended.has(token)) return null;
    return claims.issuedAt > (endedBefore.get(claims.user.id) ?? 0) ? claims.user : null;
  }

  async function endSession(token: string) {
    ended.add(token);
  }

  async function endSessionsOf(userId: string) {
    endedBefore.set(userId, Date.now());
  }
  // #endregion
  return { begin: sign, who: touchSession, end: endSession, endAll: endSessionsOf };
}

async function sign(user: SessionUser) {
  const now = Date.now();
  const claims: Claims = { id: randomUUID(), user, issuedAt: now, endsAt: now + LASTS_MS };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${signatureOf(text).toString('base64url')}`;
}

function claimsOf(token: string): Claims | null {
  const [text = '', signature = ''] = token.split('.');
  const [given, right] = [Buffer.from(signature, 'base64url'), signatureOf(text)];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString());
}

const signatureOf = (text: string) => createHmac('sha256', KEY).update(text).digest();
