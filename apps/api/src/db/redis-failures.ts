import { ReplyError } from 'ioredis';
import type { Failure } from '../errors.ts';

/**
 * Redis error replies that are conditions of the server and not bugs of ours. Inside a script the same replies are followed
 * by the script's name. All other replies are bugs of ours.
 * https://github.com/redis/redis/blob/unstable/src/server.c (createSharedObjects) and acl.c
 */
const conditions: readonly (readonly [reply: RegExp, condition: string])[] = [
  [/^LOADING /, 'is starting'],
  [/^BUSY /, 'is busy with a script'],
  [/^OOM /, 'is out of memory for writes'],
  [/^READONLY /, 'is a replica and rejects writes'],
  [/^MASTERDOWN /, 'has lost its primary'],
  [/^(NOREPLICAS|NOGOODSLAVE) /, 'has too few replicas to take writes'],
  [/^MISCONF /, 'cannot persist its data and rejects writes'],
  [/^(CLUSTERDOWN|TRYAGAIN) /, 'has hash slots that no node serves'],
  // A missing or wrong password, a missing permission, or protected mode. A script without permission fails with ERR: the
  // second form since Redis 7.2, the first before.
  [
    /^(NOAUTH|WRONGPASS|NOPERM|DENIED) |^ERR (The user executing the script can't|ACL failure in script)/,
    'denies access to this task',
  ],
  [/^ERR max number of clients/, 'has no free connection'],
];

/** Errors of ioredis, which names and codes identify only partly. */
const CONNECTION_MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Command aborted|Reached the max retries|Redis has not answered|Socket timeout|Cluster isn't ready|Failed to refresh slots|None of startup nodes|Too many Cluster redirections)/;

/** Maps an error of Redis to a failure; null if it is a bug of ours. */
export function redisFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const condition = error instanceof ReplyError ? conditionOf(error.message) : connectionCondition(error);
  return condition === undefined ? null : { kind: 'store-unavailable', store: 'Redis', condition };
}

const conditionOf = (message: string) => conditions.find(([reply]) => reply.test(message))?.[1];

function connectionCondition(error: Error) {
  // A socket error reaches every caller that waits for a reply on it.
  return 'syscall' in error || CONNECTION_MESSAGES.test(error.message) ? 'is not responding' : undefined;
}
