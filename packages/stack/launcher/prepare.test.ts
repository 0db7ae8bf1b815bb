import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureBuilt, ensureInstalled, installFailure, isInstalled } from './prepare.mjs';

/** A miniature repository whose build appends a line to `builds` and creates the outputs of the real build. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prepare-'));
  write('package.json', JSON.stringify({ ...small, scripts: { build: 'node build.cjs' } }));
  write('package-lock.json', lockfile(workspaces));
  write('packages/contract/package.json', JSON.stringify({ name: 'contract', version: '1.0.0' }));
  write('packages/contract/src/index.ts', 'one');
  write('apps/api/src/server.ts', 'one');
  write('build.cjs', buildProgram);
});
afterEach(() => rmSync(root, { recursive: true }));

const buildProgram = `
  const fs = require('node:fs');
  fs.appendFileSync('builds', 'built\\n');
  for (const path of ['apps/api/dist/server.js', 'apps/lab/dist/server.js', 'apps/web/dist/index.html', 'packages/stack/dist/server.js']) {
    fs.mkdirSync(require('node:path').dirname(path), { recursive: true });
    fs.writeFileSync(path, '');
  }
  if (fs.readFileSync('apps/api/src/server.ts', 'utf8') === 'wrong') { console.error('server.ts: wrong'); process.exit(1); }
`;

const small = { name: 'small', version: '1.0.0', workspaces: ['packages/contract'] };
const workspaces = {
  '': small,
  'node_modules/contract': { resolved: 'packages/contract', link: true },
  'packages/contract': { name: 'contract', version: '1.0.0' },
};
const lockfile = (packages: Record<string, unknown>) =>
  JSON.stringify({ name: 'small', version: '1.0.0', lockfileVersion: 3, requires: true, packages });
const options = () => ({ dataDir: join(root, '.data') });

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test('dependencies are installed once per lockfile', async () => {
  expect(await ensureInstalled(root, options())).toBe('installed');
  expect(await ensureInstalled(root, options())).toBe('up to date');
  write('package-lock.json', lockfile(workspaces).replace('{', '{ '));
  expect(isInstalled(root, { tests: false })).toBe(false);
});

test('a start leaves out what only tests need, and the tests add it without replacing what a running shop uses', async () => {
  const linter = { name: 'linter', version: '1.0.0' };
  write('packages/linter/package.json', JSON.stringify(linter));
  const manifest = { ...small, devDependencies: { linter: 'file:packages/linter' } };
  write('package.json', JSON.stringify(manifest));
  const packages = {
    ...workspaces,
    '': manifest,
    'node_modules/linter': { resolved: 'packages/linter', link: true },
    'packages/linter': { ...linter, dev: true },
  };
  write('package-lock.json', lockfile(packages));
  const before = readFileSync(join(root, 'package-lock.json'), 'utf8');

  expect(await ensureInstalled(root, options())).toBe('installed');
  expect(readdirSync(join(root, 'node_modules'))).not.toContain('linter');
  write('node_modules/.of-a-running-shop', '');
  expect(await ensureInstalled(root, { ...options(), tests: true })).toBe('installed');
  expect(readdirSync(join(root, 'node_modules'))).toEqual(
    expect.arrayContaining(['.of-a-running-shop', 'contract', 'linter']),
  );
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).toBe(before);
  expect(await ensureInstalled(root, { ...options(), tests: true })).toBe('up to date');
  expect(await ensureInstalled(root, options())).toBe('up to date');
});

test.each([
  ['the same version', { version: '1.0.0' }, { version: '1.0.0' }, true],
  ['another version', { version: '1.0.0' }, { version: '1.0.1' }, false],
  ['nothing', { version: '1.0.0' }, undefined, false],
  ['nothing that the start needs', { version: '1.0.0', dev: true }, undefined, true],
  ['nothing where another system needs it', { version: '1.0.0', optional: true, os: ['none'] }, undefined, true],
  [
    'nothing where this system needs it',
    { version: '1.0.0', optional: true, os: [process.platform] },
    undefined,
    false,
  ],
])(
  'after a manual npm ci that left %s, isInstalled tells whether something is missing',
  (_what, wanted, present, expected) => {
    write('package-lock.json', lockfile({ 'node_modules/dependency': wanted }));
    write('node_modules/.package-lock.json', lockfile(present ? { 'node_modules/dependency': present } : {}));
    expect(isInstalled(root, { tests: false })).toBe(expected);
  },
);

test('the build runs again only after a source or output has changed', async () => {
  mkdirSync(join(root, 'node_modules'));
  expect(await ensureBuilt(root, options())).toBe('built');
  expect(await ensureBuilt(root, options())).toBe('up to date');
  write('packages/contract/src/index.test.ts', 'tests are not built');
  expect(await ensureBuilt(root, options())).toBe('up to date');
  write('packages/contract/src/index.ts', 'two');
  expect(await ensureBuilt(root, options())).toBe('built');
  rmSync(join(root, 'apps/web/dist'), { recursive: true });
  expect(await ensureBuilt(root, options())).toBe('built');
  expect(readFileSync(join(root, 'builds'), 'utf8').split('\n')).toHaveLength(4);
});

test('a failed build says why, and is repeated by the next start', async () => {
  mkdirSync(join(root, 'node_modules'));
  write('apps/api/src/server.ts', 'wrong');
  const lines = expect.arrayContaining(['server.ts: wrong']);
  await expect(ensureBuilt(root, options())).rejects.toMatchObject({ step: 'build', lines });
  await expect(ensureBuilt(root, options())).rejects.toMatchObject({ step: 'build', lines });
});

test.each([
  ['npm error code EAI_AGAIN', undefined, 'npm cannot reach its registry (EAI_AGAIN).'],
  ['npm error code ENOTCACHED', 'ENOTFOUND', 'npm cannot reach its registry (ENOTFOUND).'],
  ['npm error code EACCES\nnpm error path /cache/_cacache', undefined, 'npm cannot write to /cache/_cacache.'],
  ['npm ERR! code ENOSPC', undefined, 'The disk is full.'],
  ['npm error code EINTEGRITY', undefined, 'The installation failed.'],
])('a failed installation is attributed to the network only if the network failed: %s', (log, unreachable, message) => {
  expect(installFailure(log, unreachable)).toMatchObject({ message });
});
