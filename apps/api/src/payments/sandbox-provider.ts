import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../db/client.ts';
import { insertSandboxCharge, refundSandboxCharge, sandboxChargeStatus } from '../queries/sandbox-charges.ts';
import type { PaymentProvider } from './payment-provider.ts';

/** How long `tok_slow` takes: unpleasant for people, but within the deadline of a payment. */
const SLOW_MS = 1_500;

/**
 * A provider that moves no money. It keeps its own ledger in PostgreSQL, like a real one in a database of its own: what it
 * charged stays charged, whatever happens to the task that asked.
 */
export function sandboxProvider(db: Connection): PaymentProvider {
  return {
    async charge({ token, ...order }, signal) {
      if (token === 'tok_slow') await wait(SLOW_MS, undefined, { signal });
      const status = token === 'tok_declined' ? 'declined' : 'accepted';
      await insertSandboxCharge(db, { ...order, status });
      if (token === 'tok_answer_lost') await untilAborted(signal);
      return (await sandboxChargeStatus(db, order.reference)) === 'declined' ? 'declined' : 'accepted';
    },
    refund: (reference) => refundSandboxCharge(db, reference),
    lookUp: async (reference) => (await sandboxChargeStatus(db, reference)) ?? 'unknown',
  };
}

function untilAborted(signal: AbortSignal) {
  signal.throwIfAborted();
  return new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
