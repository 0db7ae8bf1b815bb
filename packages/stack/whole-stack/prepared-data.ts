import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startStack } from '../launcher/stack.mjs';
import { placesOf } from '../stores/files.mjs';
import { removeData } from '../stores/remove-data.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The data of a stopped stack, with the newest schema and the demo data. */
    preparedData: string;
  }
}

/** Prepares the data that the stacks of a test run begin with, once: creating a cluster and seeding it takes most of a first start. */
export default async function setup({ vitest }: TestProject) {
  const everyProject = vitest.getRootProject();
  // The first project that needs it has prepared it.
  if (everyProject.getProvidedContext().preparedData) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'minitickets-prepared-'));
  const remove = () => {
    removeData(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
  const start = startStack({ dataDir, durable: false, seed: true, host: '127.0.0.1', tasks: 1 });
  const stack = await start.catch((error: unknown) => {
    remove();
    throw error;
  });
  await stack.stop();
  everyProject.provide('preparedData', dataDir);
  return remove;
}

/** Creates a folder with a copy of the prepared data, for one stack. */
export function copyOfPreparedData(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'minitickets-stack-'));
  const from = placesOf(inject('preparedData'));
  // A cluster that the server's user cannot reach here lives elsewhere: then the stack creates its own.
  if (!existsSync(from.postgres)) return dataDir;
  const to = placesOf(dataDir);
  mkdirSync(dirname(to.postgres), { recursive: true });
  // Unlike Node's copy, it keeps the owners of files.
  execFileSync('cp', ['-a', from.postgres, to.postgres]);
  execFileSync('cp', ['-a', from.secrets, to.secrets]);
  return dataDir;
}
