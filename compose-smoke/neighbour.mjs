// Runs inside of a task's container: a client on the balancer's network. It logs in through the balancer, three times at each
// task, then again and again directly at one task, each time with another forged address, and prints what it was answered.
import { lookup } from 'node:dns/promises';

// Addresses, not names: a task answers only for hosts that are its own.
const balancer = await lookup('haproxy');
const throughBalancer = {};
for (let turn = 1; turn <= 9; turn += 1) await count(throughBalancer, `http://${balancer.address}:8080`);
// One address, so that our own is always the same one too.
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
