import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordOf } from '../processes/processes.mjs';
import { placesOf, secretsOf } from '../stores/files.mjs';
import { removeData } from '../stores/remove-data.mjs';
import { endLeftovers } from './state.mjs';

/** A data folder with these files, as an older version or a crash left it. */
function dataWith(files: { secrets?: string; server?: string; state?: string }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'older-data-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { secrets, redis, state, postgres } = placesOf(dataDir);
  const paths = { secrets, server: join(redis, 'server.json'), state };
  for (const [name, text] of Object.entries({ ...files, cluster: '' })) {
    const path = name === 'cluster' ? join(postgres, 'PG_VERSION') : paths[name as keyof typeof paths];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return dataDir;
}

/** What `npm start -- --fresh` does before it starts the stores. */
async function beginFresh(dataDir: string) {
  const ended = await endLeftovers(dataDir);
  removeData(dataDir);
  return { ended, secrets: secretsOf(dataDir) };
}

const older = JSON.stringify({ appSecret: 'older', databasePassword: 'older' });

test('without --fresh, data whose secrets are from an older version are refused with the fix', () => {
  expect(() => secretsOf(dataWith({ secrets: older }))).toThrow('older version');
});

test.each([
  ['secrets of an older version', { secrets: older }],
  ['files that a crash cut short', { secrets: '{', server: '', state: '{"launcher":' }],
  ['files of an unknown form', { secrets: '[]', server: '{}', state: '{}' }],
])('--fresh begins anew on %s', async (_what, files) => {
  const { secrets } = await beginFresh(dataWith(files));
  expect(secrets.redis.owner).toHaveLength(24);
});

test('--fresh ends a Redis that an older version left running, whose record has no URL', async () => {
  const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(left, 'spawn');
  const ended = once(left, 'exit');
  const server = await recordOf(left.pid ?? 0);
  const begun = await beginFresh(dataWith({ secrets: older, server: JSON.stringify({ port: 6379, server }) }));
  expect(begun.ended).toEqual(['Redis']);
  expect(await ended).toEqual([null, 'SIGTERM']);
});
