// Runs inside a task's container, as a client on the balancer's network. It logs in nine times through the balancer, then thirty
// times directly at one task with a different spoofed address each time, and prints the statuses. It uses IP addresses, because tasks
// refuse host names that are not theirs.
import { lookup } from 'node:dns/promises';

const { address: balancer } = await lookup('haproxy');
const throughBalancer = {};
for (let turn = 1; turn <= 9; turn += 1) await count(throughBalancer, `http://${balancer}:8080`);
const { address } = await lookup('api');
const began = Date.now();
const directly = {};
for (let host = 1; host <= 30; host += 1) {
  await count(directly, `http://${address}:3000`, { 'x-forwarded-for': `203.0.113.${host}` });
}
console.log(JSON.stringify({ throughBalancer, directly, ms: Date.now() - began }));

async function count(statuses, origin, headers = {}) {
  const response = await fetch(`${origin}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@minitickets.example`, password: 'wrong' }),
    signal: AbortSignal.timeout(20_000),
  });
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
}
