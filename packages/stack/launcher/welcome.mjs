import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { paint } from './screen.mjs';

/**
 * Prints URLs, accounts and two commands to try, once everything runs.
 * @param {import('./stack.mjs').Stack} stack
 * @param {{ root: string, logs: string, ms: number }} options
 */
export async function printWelcome({ url, description, databaseUrl, redisUrl }, { root, logs, ms }) {
  /** @type {typeof import('../../contract/src/demo.ts')} */
  const { demoAccounts, demoPassword } = await import(pathToFileURL(join(root, 'packages/contract/dist/demo.js')).href);
  const link = (/** @type {string} */ path) => paint('cyan', `${url}${path}`);
  const name = (/** @type {string} */ text) => paint('bold', text.padEnd(10));
  console.log(`
  ${paint('green', `ready in ${(ms / 1000).toFixed(1)} s`)}   ${paint('dim', description)}

  ➜ ${name('Shop')} ${link('/')}
  ➜ ${name('Decisions')} ${link('/decisions')}
  ➜ ${name('Limiter')} ${link('/limiter')}
  ➜ ${name('Operations')} ${link('/operations')}   (as admin)
  ➜ ${name('API docs')} ${link('/docs')}      OpenAPI ${link('/openapi.json')}
  ➜ ${name('Metrics')} ${link('/metrics')}   Health  ${link('/health/ready')}
    ${name('PostgreSQL')} ${withoutPassword(databaseUrl)}
    ${name('Redis')} ${withoutPassword(redisUrl)}   (with passwords: npm run status -- --env)

  Log in as    ${demoAccounts.map(({ email }) => email).join('  ')}
  Password     ${demoPassword}
`);
  for (const line of await thingsToTry(url, { email: demoAccounts[0].email, password: demoPassword }))
    console.log(`  ${line}`);
  console.log(
    `\n  Logs in ${logs} · npm run doctor checks this machine · Ctrl-C stops everything and keeps the data (npm run reset deletes it)\n`,
  );
}

/**
 * Prints where the sources run, and what reloads.
 * @param {import('./stack.mjs').Stack} stack
 * @param {{ logs: string, ms: number }} options
 */
export function printReload({ url, description }, { logs, ms }) {
  console.log(`
  ${paint('green', `ready in ${(ms / 1000).toFixed(1)} s`)}   ${paint('dim', description)}

  ➜ ${paint('cyan', url)}   from the sources: a saved page reloads in the browser, a saved API source restarts the task
    Logs in ${logs} · Ctrl-C stops everything and keeps the data
`);
}

/** Terminals are recorded, shared and shown on screens. @param {string} url */
export function withoutPassword(url) {
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  return shown.href;
}

/**
 * Returns two shell commands: log in, and book until the limiter refuses.
 * @param {string} url
 * @param {{ email: string, password: string }} credentials
 */
async function thingsToTry(url, credentials) {
  const booking = await findBooking(url);
  if (!booking) return [];
  const json = "-H 'content-type: application/json'";
  return [
    `Log in       curl -si -c cookies.txt ${url}/v1/sessions ${json} -d '${JSON.stringify(credentials)}'`,
    `Book to 429  for i in $(seq 15); do curl -so /dev/null -w '%{http_code} ' -b cookies.txt ${url}/v1/bookings ${json} -d '${JSON.stringify(booking)}'; done`,
  ];
}

/**
 * Returns a booking request for one ticket that is on sale now, if there is any.
 * @param {string} url
 */
async function findBooking(url) {
  try {
    const response = await fetch(`${url}/v1/events`, { signal: AbortSignal.timeout(2000) });
    const { items } = /** @type {{ items: import('../../contract/src/events.ts').Event[] }} */ (await response.json());
    // The highest per-person limit first, so that the rate limiter refuses before the event does.
    const byPersonLimit = items.filter(isOnSale).sort((a, b) => b.maxPerUser - a.maxPerUser);
    for (const event of byPersonLimit) {
      const ticketType = event.ticketTypes.find(({ available }) => available > 0);
      if (ticketType) return { eventId: event.id, lines: [{ ticketTypeId: ticketType.id, quantity: 1 }] };
    }
  } catch {
    // Without an event, the suggestion is omitted.
  }
  return undefined;
}

/** @param {import('../../contract/src/events.ts').Event} event */
function isOnSale({ status, salesOpenAt, salesCloseAt }) {
  const now = Date.now();
  return status === 'on_sale' && Date.parse(salesOpenAt) <= now && now < Date.parse(salesCloseAt);
}
