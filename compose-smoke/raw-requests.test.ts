import { expect, inject, test } from 'vitest';
import { rawRequests } from '../packages/stack/balancer/testing/raw-requests.ts';
import { sendRaw } from '../packages/stack/balancer/testing/stand-ins.ts';

const { port } = inject('stackName');
/** Few enough for HAProxy and the tasks to answer each at once; those that are incomplete wait for their rest. */
const AT_ONCE = 32;

// HAProxy forgives more than the Node balancer, such as a bare line feed, and sends on what it understood in one form only.
test('HAProxy and a task read no raw request as two, and answer none with a failure of theirs', async () => {
  const answers: { what: string; statuses: number[]; most: number }[] = [];
  for (let first = 0; first < rawRequests.length; first += AT_ONCE) {
    const sent = rawRequests.slice(first, first + AT_ONCE).map(async ({ what, bytes, statuses }) => {
      const answer = await sendRaw(port, bytes);
      const seen = [...answer.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
      return { what, statuses: seen, most: statuses.length };
    });
    answers.push(...(await Promise.all(sent)));
  }
  // Without an answer the rest would hold too. HAProxy waits longer for the rest of a body that is announced, and for that of HTTP/2.
  expect(answers.filter(({ statuses }) => statuses.length > 0).length).toBeGreaterThan(0.9 * answers.length);
  expect(answers.filter(({ statuses, most }) => statuses.length > most)).toEqual([]);
  expect(answers.filter(({ statuses }) => statuses.some((status) => status >= 500 && status !== 503))).toEqual([]);
});
