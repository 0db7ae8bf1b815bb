import { problems as problemsOfApi } from '@minitickets/contract';
import { expect, test } from 'vitest';
import { testApp } from '../../../apps/api/src/testing/test-app.ts';
import { useStores } from '../test-stores/test-stores.ts';
import { mostBodyBytes } from './body.ts';
import { problems } from './problem.ts';

const stores = useStores();

// The balancer runs without the API's packages and repeats some of its constants; this test keeps them equal.
test('the balancer and the API accept bodies of the same maximum size', async () => {
  const { app } = await testApp(stores);
  expect(mostBodyBytes).toBe(app.initialConfig.bodyLimit);
});

test('the problems of the balancer match the API’s', () => {
  expect(problemsOfApi).toMatchObject(problems);
});
