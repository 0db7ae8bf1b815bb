import type { Connection } from '../db/client.ts';
import { dueSandboxEvents, markSandboxEventDelivered, type SandboxEvent } from '../queries/sandbox-charges.ts';
import { signWebhook } from '../rules/webhook-signatures.ts';

const EVENTS_AT_ONCE = 20;

/** Posts a webhook to the merchant. @returns the status of the answer */
export type PostWebhook = (body: string, signature: string) => Promise<number>;

type Deliveries = { db: Connection; key: Buffer; post: PostWebhook };

/**
 * Tells the merchant what happened, at least once: an event that was not answered with 2xx is told again, later and later.
 * Each run takes its own events, so that tasks do not tell the same one at the same time.
 * @returns how many were taken in
 */
export async function deliverSandboxEvents({ db, key, post }: Deliveries) {
  const events = await dueSandboxEvents(db, EVENTS_AT_ONCE);
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
