import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';
import { eventChannel } from './event-messages.ts';

/*
 * The inventory gate refuses requests for sold-out ticket types before they cost a query (load shedding). A gate can only
 * refuse, and only briefly; PostgreSQL alone sells. "Sold out" and "released" reach Redis from any task in any order, so both
 * carry a version, the number of releases of the ticket type when PostgreSQL said so, and the older message loses. Both scripts
 * tell all tasks (`event-messages.ts`), which show sold-out and released tickets at once.
 */

/** If the message of a release is lost, the gate refuses a free ticket for at most this long. */
const CLOSED_MS = 900;
/** Upper bound on the delay of a "sold out" message: no request runs longer. */
const LATE_MS = 15_000;

/** A ticket type, and its `releases` as read under the event's lock. */
export type Released = { ticketTypeId: string; releases: number };
export type SoldOut = Released & { ticketTypeName: string };
/** `rememberedSince`: Redis may not know idempotency keys used before this instant (ms). */
export type ClosedGate = { ticketTypeName: string; rememberedSince: number };

const closeScript = loadScript('close-gate.lua');
const openScript = loadScript('open-gate.lua');
const closedScript = loadScript('closed-gates.lua');
const gateKey = (eventId: string, ticketTypeId: string) => `gate:{${eventId}}:${ticketTypeId}`;

/** Returns the first closed gate of these ticket types, or null if all are open. */
export async function closedGate(redis: RedisConnection, eventId: string, ticketTypeIds: string[]) {
  const values = await redis.mget(ticketTypeIds.map((id) => gateKey(eventId, id)));
  for (const value of values) {
    const [, since, ticketTypeName] = /^closed \d+ (\d+) (.*)$/s.exec(value ?? '') ?? [];
    if (ticketTypeName !== undefined) return { ticketTypeName, rememberedSince: Number(since) } satisfies ClosedGate;
  }
  return null;
}

/** Returns when the closed gates of these ticket types open; open ones are left out. */
export async function closedGates(
  redis: RedisConnection,
  ticketTypes: readonly { eventId: string; id: string }[],
): Promise<Map<string, Date>> {
  if (ticketTypes.length === 0) return new Map();
  const keys = ticketTypes.map(({ eventId, id }) => gateKey(eventId, id));
  const until = (await runScript(redis, closedScript, keys, [])) as number[];
  return new Map(ticketTypes.flatMap(({ id }, index) => (until[index] ? [[id, new Date(until[index])] as const] : [])));
}

/**
 * Closes the gates of ticket types that PostgreSQL reports as sold out. No gate stays closed past `until` (ms, of
 * `performance.now()`), when a hold may expire and free a ticket, however late the message reaches Redis.
 */
export async function closeGates(
  redis: RedisConnection,
  eventId: string,
  soldOut: SoldOut[],
  { until, rememberedSince }: { until: number; rememberedSince: number },
) {
  const [seconds, microseconds] = await redis.time();
  // Redis read its clock before this instant, so its time at `until` is at least the sum.
  const leftMs = Math.min(CLOSED_MS, until - performance.now());
  const endMs = Math.floor(Number(seconds) * 1000 + Number(microseconds) / 1000 + leftMs);
  const keys = soldOut.map(({ ticketTypeId }) => gateKey(eventId, ticketTypeId));
  const named = soldOut.flatMap(({ releases, ticketTypeName }) => [releases, ticketTypeName]);
  await runScript(redis, closeScript, keys, [endMs, rememberedSince, eventChannel(redis), ...named]);
}

/** Opens the gates of ticket types whose inventory was released. */
export async function openGates(redis: RedisConnection, eventId: string, released: Released[]) {
  const keys = released.map(({ ticketTypeId }) => gateKey(eventId, ticketTypeId));
  await runScript(redis, openScript, keys, [LATE_MS, eventChannel(redis), ...released.map(({ releases }) => releases)]);
}
