import type { TestProject } from 'vitest/node';
import { clientOf } from './client.ts';
import { eventually, nameStack, removeStack, type StackName, stackOf } from './compose-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stackName: StackName;
    /** Of the demo customer, who logs in before the crowds: afterwards a log-in waits behind all refused ones. */
    customerCookie: string;
  }
}

/** Builds and starts the stack that all tests share, and removes it at the end or on Ctrl-C. */
export default async function setup(project: TestProject) {
  const name = await nameStack();
  project.provide('stackName', name);
  const remove = () => removeStack(name);
  process.prependOnceListener('SIGINT', remove);
  process.prependOnceListener('SIGTERM', remove);
  const stack = stackOf(name);
  try {
    const began = Date.now();
    await stack.compose(['build'], 1_500_000);
    const builtAt = Date.now();
    await stack.compose(['up', '--detach'], 400_000);
    const client = clientOf(stack.url);
    await eventually('all three tasks get requests', 60_000, async () =>
      (await client.namesSeen(6)).length === 3 ? true : undefined,
    );
    project.provide('customerCookie', await client.logIn());
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    console.log(
      `built in ${seconds(builtAt - began)} s, ready ${seconds(Date.now() - builtAt)} s after \`docker compose up\``,
    );
  } catch (error) {
    console.log(await stack.state());
    remove();
    throw error;
  }
  return remove;
}
