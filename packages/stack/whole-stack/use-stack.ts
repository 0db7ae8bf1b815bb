import { rmSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { type Stack, type StackOptions, startStack } from '../launcher/stack.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { copyOfPreparedData } from './prepared-data.ts';

/**
 * Gives a test file its own stack with the demo data: stores, three API tasks, the balancer. Call it once, at the top of the file;
 * the stack runs from `beforeAll` on. The repository must be built. The stack listens on 127.0.0.1 only, because a client that can
 * choose between two loopback addresses would count as two clients.
 */
export function useStack(options: Pick<StackOptions, 'tasks' | 'taskEnv' | 'lab'> = {}): {
  readonly current: Stack;
  readonly dataDir: string;
} {
  const dataDir = copyOfPreparedData();
  let stack: Stack | undefined;

  beforeAll(async () => {
    stack = await startStack({ dataDir, durable: false, seed: true, host: '127.0.0.1', ...options });
  }, 180_000);

  afterAll(async () => {
    // Its data is removed, so nothing has to be drained or saved.
    await stack?.kill();
    removeData(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  return {
    dataDir,
    get current() {
      if (!stack) throw new Error('The stack is started in beforeAll: use it in a hook or a test.');
      return stack;
    },
  };
}
