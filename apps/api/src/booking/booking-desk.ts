import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import type { Connection } from '../db/client.ts';
import type { RedisConnection } from '../db/redis.ts';
import { type Failure, fail, TicketingError } from '../errors.ts';
import {
  claimKey,
  keysRememberedSince,
  markKeyAsked,
  markKeyRefused,
  mayBeForgotten,
  recordOfKey,
} from '../queries/idempotency.ts';
import { closedGate, closeGates } from '../queries/inventory-gate.ts';
import type { KeyOfUser } from '../rules/held-answers.ts';
import { type HoldOrder, type HoldOutcome, holdBatches, replayOf } from './hold-batches.ts';
import { singleFlight } from './single-flight.ts';

type Desk = {
  db: Connection;
  writingPool: Pool;
  redis: RedisConnection;
  holdSeconds: number;
  /** The response body of a refused request. */
  refusalBody: (failure: Failure) => string;
  log: FastifyBaseLogger;
};

/**
 * The path of a booking request: its idempotency key, the inventory gate, and then its event's next transaction.
 * @returns a function that books and replays the same bytes for the same key
 * @throws TicketingError idempotency-in-progress, idempotency-key-reused, busy; and the errors of the stores
 */
export function bookingDesk({ db, redis, log, refusalBody, ...options }: Desk) {
  const write = holdBatches({
    pool: options.writingPool,
    holdSeconds: options.holdSeconds,
    refusalBody,
    // Fire and forget: until the gate closes, requests only cost more.
    onSoldOut: (eventId, soldOut, until) => {
      keysRememberedSince(redis)
        .then((rememberedSince) => closeGates(redis, eventId, soldOut, { until, rememberedSince }))
        .catch((error: unknown) => log.warn({ err: error }, 'closing an inventory gate failed'));
    },
  });

  async function book(eventId: string, order: HoldOrder): Promise<HoldOutcome> {
    const { idempotency } = order;
    if (!idempotency) {
      const gate = await gateOf(eventId, order);
      return gate ? refusedAtGate(gate.ticketTypeName) : write(eventId, order);
    }
    // #region claim
    const key = { userId: order.userId, key: idempotency.key };
    const [claim, gate] = await Promise.all([claimKey(redis, key, idempotency.fingerprint), gateOf(eventId, order)]);
    switch (claim.state) {
      case 'running':
        return fail({ kind: 'idempotency-in-progress' });
      case 'reused':
        return fail({ kind: 'idempotency-key-reused' });
      case 'refused':
        return { held: false, body: claim.refusal, replayed: true };
      case 'asked':
        return (await recorded(key, idempotency.fingerprint)) ?? write(eventId, order);
      case 'abandoned':
        return asking(key, () => write(eventId, order));
      case 'claimed':
        break;
    }
    if (!gate) return asking(key, () => write(eventId, order));
    // #endregion
    const before = mayBeForgotten(gate.rememberedSince)
      ? await asking(key, () => recorded(key, idempotency.fingerprint))
      : null;
    if (before) return before;
    const refused = refusedAtGate(gate.ticketTypeName);
    await markKeyRefused(redis, key, refused.body);
    return refused;
  }

  // Requests for the same ticket types in one event-loop tick share one read of the gate. If the read fails, the gate counts
  // as open: it only saves work.
  const readGate = singleFlight((eventId: string, ticketTypeIds: string[]) =>
    closedGate(redis, eventId, ticketTypeIds).catch(() => null),
  );
  const gateOf = (eventId: string, { lines }: HoldOrder) => {
    const ticketTypeIds = lines.map(({ ticketTypeId }) => ticketTypeId);
    return readGate(`${eventId} ${ticketTypeIds.join(' ')}`, eventId, ticketTypeIds);
  };

  function refusedAtGate(ticketTypeName: string): HoldOutcome {
    return { held: false, body: refusalBody({ kind: 'sold-out', ticketTypeName }), replayed: false };
  }

  /** Returns the stored response for a key from PostgreSQL. */
  async function recorded(key: KeyOfUser, fingerprint: string) {
    const record = await recordOfKey(db, key);
    const outcome = record && replayOf(record, fingerprint);
    if (outcome instanceof TicketingError) throw outcome;
    return outcome;
  }

  /** Runs `ask` and marks the key even if it fails: from then on PostgreSQL has the outcome, or there is none. */
  async function asking<Result>(key: KeyOfUser, ask: () => Promise<Result>) {
    try {
      return await ask();
    } finally {
      await markKeyAsked(redis, key).catch((error: unknown) =>
        log.warn({ err: error }, 'an idempotency key could not be marked and stays claimed until it times out'),
      );
    }
  }

  return book;
}
