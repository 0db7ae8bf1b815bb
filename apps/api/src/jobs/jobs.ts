import { headers } from '@minitickets/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Api, Deps } from '../deps.ts';
import { deriveKey } from '../keys.ts';
import { sandboxProvider } from '../payments/sandbox-provider.ts';
import { deliverSandboxEvents, type PostWebhook } from '../payments/sandbox-webhooks.ts';
import { hasRecords, keysRememberedSince } from '../queries/idempotency.ts';
import { endCancelledBookings } from './end-cancelled-bookings.ts';
import { expireHolds } from './expire-holds.ts';
import { foldNames } from './fold-names.ts';
import { forgetOld } from './forget-old.ts';
import { settleLatePayments } from './settle-late-payments.ts';

/**
 * Starts the background jobs. Every task runs all of them, and each job lets tasks share the work instead of repeating it.
 * `stop` waits for running jobs.
 */
export function startJobs({ config, db, redis }: Deps, app: Api) {
  const provider = sandboxProvider(db);
  const key = deriveKey(config.appSecret, 'webhook-signature');
  const jobs = [
    repeat('expire-holds', 1_000, (signal) => expireHolds(db, signal), app.log),
    repeat('end-cancelled-bookings', 2_000, (signal) => endCancelledBookings(db, signal), app.log),
    repeat('settle-late-payments', 2_000, (signal) => settleLatePayments({ db, redis }, provider, signal), app.log),
    repeat('deliver-sandbox-events', 500, () => deliverSandboxEvents({ db, key, post: postTo(app) }), app.log),
    repeat('fold-names', 10_000, (signal) => foldNames(db, signal), app.log),
    repeat('forget-old', 60_000, (signal) => forgetOld(db, signal), app.log),
    repeat('vouch-for-keys', 5_000, () => vouchForKeys({ db, redis }), app.log),
  ];
  return { stop: async () => void (await Promise.all(jobs.map((stop) => stop()))) };
}

/** Records since when Redis has lost no key. If PostgreSQL has no record yet, no key can be missing. */
async function vouchForKeys({ db, redis }: Pick<Deps, 'db' | 'redis'>) {
  await keysRememberedSince(redis, { emptyRecords: !(await hasRecords(db)) });
}

/** The sandbox runs inside the task, so its webhooks enter like a request, at the router. */
function postTo(app: Api): PostWebhook {
  return async (body, signature) => {
    const sent = { 'content-type': 'application/json', [headers.sandboxSignature]: signature };
    const answer = await app.inject({ method: 'POST', url: '/v1/payments/webhook', headers: sent, payload: body });
    return answer.statusCode;
  };
}

/** Runs a job again this long after its last run ended, so that a slow run never overlaps itself. A failed run is only logged. */
function repeat(name: string, everyMs: number, run: (signal: AbortSignal) => Promise<unknown>, log: FastifyBaseLogger) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  const next = () => {
    running = run(stopping.signal)
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'a background job failed'))
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, everyMs);
      });
  };
  // Jitter: tasks that start together do not run their jobs in step.
  timer = setTimeout(next, Math.random() * everyMs);
  return () => {
    stopping.abort();
    clearTimeout(timer);
    return running;
  };
}
