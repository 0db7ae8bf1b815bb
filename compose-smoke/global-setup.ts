import type { TestProject } from 'vitest/node';
import { nameStack, removeStack, type StackName } from './compose-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stackName: StackName;
  }
}

/** Names the stack that the tests start, and removes it in the end, also after Ctrl-C: then no test gets to its last line. */
export default async function setup(project: TestProject) {
  const name = await nameStack();
  project.provide('stackName', name);
  const remove = () => removeStack(name);
  process.prependOnceListener('SIGINT', remove);
  process.prependOnceListener('SIGTERM', remove);
  return remove;
}
