import type { Connection } from '../db/client.ts';
import { dueSandboxEvents, markSandboxEventDelivered, type SandboxEvent } from '../queries/sandbox-charges.ts';
import { signWebhook } from '../rules/webhook-signatures.ts';

const MAX_EVENTS_PER_RUN = 20;

/** Posts a webhook to the merchant. @returns the response's status */
export type PostWebhook = (body: string, signature: string) => Promise<number>;

type Deliveries = { db: Connection; key: Buffer; post: PostWebhook };

/**
 * Delivers events to the merchant at least once: an event that did not get 2xx is retried with exponential backoff. Each run
 * takes its own events, so that tasks do not deliver the same one concurrently.
 * @returns how many were delivered
 */
export async function deliverSandboxEvents({ db, key, post }: Deliveries) {
  const events = await dueSandboxEvents(db, MAX_EVENTS_PER_RUN);
  const told = await Promise.all(
    events.map(async (event) => {
      const body = webhookBody(event);
      const status = await post(body, signWebhook(body, key, new Date()));
      if (status < 200 || status > 299) return false;
      await markSandboxEventDelivered(db, event.id);
      return true;
    }),
  );
  return told.filter(Boolean).length;
}

export function webhookBody({ id, type, reference, createdAt }: SandboxEvent) {
  return JSON.stringify({ id, type, reference, createdAt: createdAt.toISOString() });
}
