import { setTimeout as delay } from 'node:timers/promises';
import { demoAccounts, demoPassword, headers } from '@minitickets/contract';

const ANSWER_DEADLINE_MS = 20_000;

/**
 * A program that calls the stack from this machine.
 * @param url where the balancer is
 */
export function clientOf(url: string) {
  const get = (path: string, sent: Record<string, string> = {}) =>
    fetch(url + path, { headers: sent, signal: AbortSignal.timeout(ANSWER_DEADLINE_MS) });

  const post = (path: string, body: unknown, sent: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sent },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
    });

  return {
    get,
    post,

    /** A log-in that costs a token, and a password check if it gets one. Never the same account: each has a budget of its own. */
    logInWrongly: (sent: Record<string, string> = {}) =>
      post('/v1/sessions', { email: `${crypto.randomUUID()}@minitickets.example`, password: 'wrong' }, sent),

    /**
     * Logs in as the demo's customer, waiting as long as it is told whenever it is refused.
     * @returns the cookie, as it is sent
     * @throws after a minute
     */
    async logIn() {
      const end = Date.now() + 60_000;
      const [{ email }] = demoAccounts;
      while (Date.now() < end) {
        const answer = await post('/v1/sessions', { email, password: demoPassword });
        if (answer.status === 201)
          return answer.headers
            .getSetCookie()
            .map((cookie) => cookie.split(';')[0])
            .join('; ');
        if (answer.status !== 429 && answer.status !== 503)
          throw new Error(`a log-in was answered ${answer.status}: ${await answer.text()}`);
        await delay(Number(answer.headers.get(headers.retryAfter)) * 1000);
      }
      throw new Error('no log-in within a minute');
    },

    /** The names of the tasks that answer so many requests, sorted. */
    async namesSeen(requests: number) {
      const names = new Set<string>();
      for (let request = 0; request < requests; request += 1) {
        names.add((await get('/health/live')).headers.get(headers.servedBy) ?? 'nobody');
      }
      return [...names].sort();
    },
  };
}
