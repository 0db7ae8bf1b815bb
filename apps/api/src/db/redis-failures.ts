import { ReplyError } from 'ioredis';
import type { Failure } from '../errors.ts';

/**
 * The error replies of Redis that are no fault of ours, and what each says of Redis. Inside a script the same replies come with
 * the script's name behind them. All other replies are faults of ours.
 * https://github.com/redis/redis/blob/unstable/src/server.c (createSharedObjects) and acl.c
 */
const conditions: readonly (readonly [reply: RegExp, condition: string])[] = [
  [/^LOADING /, 'is starting'],
  [/^BUSY /, 'is busy with a script'],
  [/^OOM /, 'is out of memory for writes'],
  [/^READONLY /, 'is a replica and takes no writes'],
  [/^MASTERDOWN /, 'has lost its primary'],
  [/^(NOREPLICAS|NOGOODSLAVE) /, 'has too few replicas to take writes'],
  [/^MISCONF /, 'cannot save its data and takes no writes'],
  [/^(CLUSTERDOWN|TRYAGAIN) /, 'has slots that no node serves'],
  // No password or the wrong one, a user without a permission, a server that lets nobody in from outside. A script that lacks a
  // permission says so with ERR: in the second way since Redis 7.2, in the first before.
  [
    /^(NOAUTH|WRONGPASS|NOPERM|DENIED) |^ERR (The user executing the script can't|ACL failure in script)/,
    'does not let this task in',
  ],
  [/^ERR max number of clients/, 'has no connection left'],
];

/** Errors of ioredis, whose names and codes tell only some of them apart. */
const CONNECTION_MESSAGES =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Command aborted|Reached the max retries|Redis has not answered|Socket timeout|Cluster isn't ready|Failed to refresh slots|None of startup nodes|Too many Cluster redirections)/;

/** Returns what an error of Redis means to a caller, or null if it is a fault of ours. */
export function redisFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const condition = error instanceof ReplyError ? conditionOf(error.message) : connectionCondition(error);
  return condition === undefined ? null : { kind: 'store-unavailable', store: 'Redis', condition };
}

const conditionOf = (message: string) => conditions.find(([reply]) => reply.test(message))?.[1];

function connectionCondition(error: Error) {
  // A socket's error reaches every caller that waits for an answer on it.
  return 'syscall' in error || CONNECTION_MESSAGES.test(error.message) ? 'is not responding' : undefined;
}
