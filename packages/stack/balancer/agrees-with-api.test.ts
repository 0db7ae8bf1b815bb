import { problems as problemsOfApi } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { testApp } from '../../../apps/api/src/testing/test-app.ts';
import { useStores } from '../test-stores/test-stores.ts';
import { mostBodyBytes } from './body.ts';
import { problems } from './problem.ts';

const stores = useStores();

// The balancer is a process without the API's packages: it has words and numbers of its own, and they have to be the same.
test('the balancer takes a body exactly as long as a task does', async () => {
  const { app } = await testApp(stores);
  expect(mostBodyBytes).toBe(app.initialConfig.bodyLimit);
});

test('the problems of the balancer are those of the API', () => {
  expect(problemsOfApi).toMatchObject(problems);
});
