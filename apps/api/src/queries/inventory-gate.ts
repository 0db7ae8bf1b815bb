import type { RedisConnection } from '../db/redis.ts';
import { loadScript, runScript } from '../db/redis-scripts.ts';

/*
 * What turns sold-out requests away before they cost anything. A gate can only refuse, and not for long: it is PostgreSQL that
 * sells. "Sold out" and "free again" reach Redis in any order, from any task, so both carry how often places of the ticket type
 * had been released when PostgreSQL said so, and the older word gives way.
 */

/** If the word of a release is lost, its place is kept from nobody for longer than this. */
const CLOSED_MS = 900;
/** A "sold out" that is this late is a task's that has long been given up. */
const LATE_MS = 15_000;

/** A ticket type, and its `releases` when it was read under the event's lock. */
export type Released = { ticketTypeId: string; releases: number };
export type SoldOut = Released & { ticketTypeName: string };
/** `rememberedSince`: requests with keys that were used before this instant (ms) may be unknown to Redis. */
export type ClosedGate = { ticketTypeName: string; rememberedSince: number };

const closeScript = loadScript('close-gate.lua');
const openScript = loadScript('open-gate.lua');
const closedScript = loadScript('closed-gates.lua');
const gateKey = (eventId: string, ticketTypeId: string) => `gate:{${eventId}}:${ticketTypeId}`;

/** The first closed gate on the way to these ticket types, or null if all are open. */
export async function closedGate(redis: RedisConnection, eventId: string, ticketTypeIds: string[]) {
  const values = await redis.mget(ticketTypeIds.map((id) => gateKey(eventId, id)));
  for (const value of values) {
    const [, since, ticketTypeName] = /^closed \d+ (\d+) (.*)$/s.exec(value ?? '') ?? [];
    if (ticketTypeName !== undefined) return { ticketTypeName, rememberedSince: Number(since) } satisfies ClosedGate;
  }
  return null;
}

/** Until when the gates of these ticket types are closed; those that are open are left out. */
export async function closedGates(
  redis: RedisConnection,
  ticketTypes: readonly { eventId: string; id: string }[],
): Promise<Map<string, Date>> {
  if (ticketTypes.length === 0) return new Map();
  const keys = ticketTypes.map(({ eventId, id }) => gateKey(eventId, id));
  const until = (await runScript(redis, closedScript, keys, [])) as number[];
  return new Map(ticketTypes.flatMap(({ id }, index) => (until[index] ? [[id, new Date(until[index])] as const] : [])));
}

/** PostgreSQL has nothing left of these. `atMostMs` is the time until a hold ends, when it may be otherwise. */
export async function closeGates(
  redis: RedisConnection,
  eventId: string,
  soldOut: SoldOut[],
  { atMostMs, rememberedSince }: { atMostMs: number; rememberedSince: number },
) {
  const keys = soldOut.map(({ ticketTypeId }) => gateKey(eventId, ticketTypeId));
  const forMs = Math.max(1, Math.min(CLOSED_MS, Math.floor(atMostMs)));
  const named = soldOut.flatMap(({ releases, ticketTypeName }) => [releases, ticketTypeName]);
  await runScript(redis, closeScript, keys, [forMs, rememberedSince, ...named]);
}

/** Places of these came back. */
export async function openGates(redis: RedisConnection, eventId: string, released: Released[]) {
  const keys = released.map(({ ticketTypeId }) => gateKey(eventId, ticketTypeId));
  await runScript(redis, openScript, keys, [LATE_MS, ...released.map(({ releases }) => releases)]);
}
