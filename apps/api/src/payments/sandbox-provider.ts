import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../db/client.ts';
import { insertSandboxCharge, refundSandboxCharge, sandboxChargeStatus } from '../queries/sandbox-charges.ts';
import type { PaymentProvider } from './payment-provider.ts';

/** How long `tok_slow` takes: longer than people like, shorter than a payment is waited for. */
const SLOW_MS = 1_500;

/**
 * A provider that moves no money, for trying everything out. It keeps its own books in PostgreSQL, as a real one would in a
 * database of its own: what it charged stays charged, whatever happens to the task that asked for it.
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
