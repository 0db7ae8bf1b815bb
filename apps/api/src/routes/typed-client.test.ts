import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Booking } from '@minitickets/contract';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shop } from '../testing/shop.ts';
import { useApp } from '../testing/test-app.ts';

/** A client whose types openapi-typescript generates from the running API's description, and nothing else. */

const source = join(import.meta.dirname, '../../typed-client');
const compiler = join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc');
const made = useApp();
let url: string;
let generated: string;
beforeAll(async () => {
  await made.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(made.app.server.address() as AddressInfo).port}`;
  generated = await mkdtemp(join(tmpdir(), 'typed-client-'));
});
afterAll(() => rm(generated, { recursive: true, force: true }));

test('the types generated from the description accept a buyer’s journey, and reject its mistakes', async () => {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPI3;
  await writeFile(join(generated, 'openapi.d.ts'), astToString(await openapiTS(description)));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'esnext', module: 'nodenext', lib: ['esnext', 'dom', 'dom.iterable'] },
    ...{ types: [], allowImportingTsExtensions: true, rootDirs: [source, generated] },
  };
  const project = join(generated, 'tsconfig.json');
  await writeFile(project, JSON.stringify({ compilerOptions, files: [join(source, 'journey.ts')] }));
  const compiled = promisify(execFile)(process.execPath, [compiler, '-p', project], { timeout: 50_000 });
  const { stdout } = await compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(stdout).toBe('');
});

test('that journey buys tickets from the running API', async () => {
  await shop(made);
  const { buyTicket } = (await import(pathToFileURL(join(source, 'journey.ts')).href)) as {
    buyTicket: (baseUrl: string) => Promise<Booking>;
  };
  const booking = await buyTicket(url);
  expect(booking).toMatchObject({ status: 'confirmed', payment: 'paid' });
  expect(booking.tickets).toHaveLength(2);
});
