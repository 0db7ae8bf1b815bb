import type { Redis } from 'ioredis';
import type { RedisConnection } from '../db/redis.ts';

/*
 * Messages between tasks about events, by publish/subscribe: what a task has in memory about an event is out of date. Delivery
 * is at most once; a lost message costs no more than the age that answers in memory may have anyway.
 */

/**
 * `changed`: an event or its ticket types were edited; `id` is the event's. `closed`, `opened`: the inventory gate of a ticket
 * type, whose id it is.
 */
export type EventMessage = { kind: 'changed' | 'closed' | 'opened'; id: string };

/** ioredis prefixes no channels. The prefix keeps installations on one Redis apart, and is all that the ACL allows. */
export const eventChannel = ({ options }: RedisConnection) => `${options.keyPrefix ?? ''}event-messages`;

/** Tells every task, this one included. */
export async function publishChange(redis: RedisConnection, eventId: string) {
  await redis.publish(eventChannel(redis), `changed ${eventId}`);
}

/**
 * Calls `hear` for every message until the returned function is called. A connection that subscribes cannot send commands, so
 * this opens another one, which reconnects by itself and then subscribes again.
 */
export function subscribeToEvents(redis: Redis, hear: (message: EventMessage) => void) {
  // ioredis would subscribe again by itself, in a promise that nobody handles: another lost connection would end the process.
  const subscriber = redis.duplicate({ connectionName: 'event-messages', autoResubscribe: false });
  // Without a listener ioredis prints every failed attempt to reconnect. The task's main connection reports them.
  subscriber.on('error', () => {});
  subscriber.on('ready', () => void subscriber.subscribe(eventChannel(redis)).catch(() => {}));
  subscriber.on('message', (_channel, text: string) => {
    const [kind, id] = text.split(' ');
    if (id && (kind === 'changed' || kind === 'closed' || kind === 'opened')) hear({ kind, id });
  });
  return () => subscriber.disconnect();
}
