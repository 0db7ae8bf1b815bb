import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { filesOfRepository } from './files.ts';

/** The repository's rules about itself. Narrow on purpose: each is one sentence that a person could break by accident. */

const files = filesOfRepository();
const read = (file: string) => readFileSync(file, 'utf8');
const source = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
const docs = files.filter((file) => file.endsWith('.md'));
const manifests = files.filter((file) => file.endsWith('package.json'));

/** Rooms of the API from the top down. A file imports its own room, and rooms that stand lower. */
const FLOORS = [
  ['server.ts', 'testing'],
  ['app.ts', 'drain.ts'],
  ['routes', 'jobs', 'seed'],
  ['plugins'],
  ['limiting', 'booking', 'payments', 'audit', 'credentials.ts'],
  ['deps.ts', 'passwords.ts'],
  ['queries'],
  ['db'],
  ['config.ts'],
  ['rules'],
  ['errors.ts', 'keys.ts'],
];
const roomOf = (file: string) => file.replace('apps/api/src/', '').split('/')[0] ?? '';
const floorOf = (room: string) => FLOORS.findIndex((floor) => floor.includes(room));

const importsOf = (file: string) =>
  [...read(file).matchAll(/^(?:import|export)\s[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm)].map((match) =>
    normalize(join(dirname(file), match[1] ?? match[2] ?? '')),
  );

const api = source.filter((file) => file.startsWith('apps/api/src/') && !file.endsWith('.test.ts'));

test('there is something to check', () => {
  expect(api.length).toBeGreaterThan(20);
  expect(docs.length).toBeGreaterThan(0);
  expect(manifests.length).toBeGreaterThan(3);
});

test('every room of the API has a floor', () => {
  expect(api.filter((file) => floorOf(roomOf(file)) === -1)).toEqual([]);
});

test('imports of the API point only downward', () => {
  const upward = api.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('apps/api/src/') && roomOf(target) !== roomOf(file))
      .filter((target) => floorOf(roomOf(target)) <= floorOf(roomOf(file)))
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

test('rules do not wait, and know no store', () => {
  const waiting = api.filter(
    (file) => roomOf(file) === 'rules' && /\bawait\b|\basync\b|from '(pg|ioredis|drizzle-orm)/.test(read(file)),
  );
  expect(waiting).toEqual([]);
});

test('a query takes its connection first', () => {
  const odd = api
    .filter((file) => roomOf(file) === 'queries')
    .flatMap((file) =>
      [...read(file).matchAll(/^export async function (\w+)\(\s*(\w+)/gm)]
        .filter(([, , first]) => first !== 'db' && first !== 'redis')
        .map(([, name]) => `${file}: ${name}`),
    );
  expect(odd).toEqual([]);
});

test('only config.ts reads the environment of an application', () => {
  const readers = source.filter(
    (file) => /^(apps\/(api|web|lab)|packages\/contract)\/src/.test(file) && /process\.env/.test(read(file)),
  );
  expect(readers.filter((file) => !/\/config(\.test)?\.ts$/.test(file))).toEqual([]);
});

test('the status of an answer is decided in error-mapping alone', () => {
  const throwers = api.filter((file) => /statusCode = |createError\(|httpErrors/.test(read(file)));
  expect(throwers).toEqual([]);
});

test('no test is skipped or runs alone, and nothing is left for later', () => {
  const own = 'tidy/tidy.test.ts';
  const marks =
    /\b(?:test|it|describe)\.(?:skip|only|todo)\(|\bT[O]DO\b|\bF[I]XME\b|@ts-(?:ignore|nocheck)|biome-ignore/;
  expect(source.filter((file) => file !== own && marks.test(read(file)))).toEqual([]);
});

test('every version in a manifest is exact', () => {
  const loose = manifests.flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file));
    return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${file}: ${name}@${version}`);
  });
  expect(loose).toEqual([]);
});

test('docs/dependencies.md has a row for each dependency, and for nothing else', () => {
  const declared = manifests.flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const rows = read('docs/dependencies.md').match(/^\| `[^|]+\|/gm) ?? [];
  const listed = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(listed.toSorted()).toEqual(
    [...new Set(declared)].filter((name) => !name.startsWith('@minitickets/')).toSorted(),
  );
});

test('the lockfile names no registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/);
});

test('no file carries a path of somebody’s machine', () => {
  const paths = /(?:^|[\s"'`(=])\/(?:home|Users|root|work)\/\w/m;
  const text = files.filter(
    (file) => /\.(ts|tsx|mjs|md|json|ya?ml|cfg|lua|sql|css|html)$/.test(file) && file !== 'package-lock.json',
  );
  expect(text.filter((file) => paths.test(read(file)))).toEqual([]);
});

test('every npm script that the docs name exists', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  const missing = docs.flatMap((file) =>
    [...read(file).matchAll(/\bnpm run ([\w:.-]+)/g)]
      .filter(([, name]) => !scripts.includes(name ?? ''))
      .map(([command]) => `${file}: ${command}`),
  );
  expect(missing).toEqual([]);
});

test('every relative link of the docs leads somewhere', () => {
  const broken = docs.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .filter(([, target]) => !existsSync(join(dirname(file), decodeURIComponent(target ?? ''))))
      .map(([, target]) => `${file} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every file of the project that the docs name in code exists', () => {
  const named = /`((?:apps|packages|infra|docs|loadtests|tidy|bench)\/[\w./@-]+\.\w+)`/g;
  const missing = docs.flatMap((file) =>
    [...read(file).matchAll(named)]
      .filter(([, target]) => !existsSync(target ?? ''))
      .map(([, target]) => `${file} → ${target}`),
  );
  expect(missing).toEqual([]);
});

test('the documented sum of PostgreSQL connections is that of the code and of compose, and fits', () => {
  const numberIn = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))?.[1]);
  const sum = /(\d+) tasks × (\d+) connections \+ (\d+) for the lab \+ (\d+) reserved for superusers = (\d+) of (\d+)/;
  const [tasks = 0, ofTask = 0, ofLab = 0, reserved = 0, total = 0, most = 0] =
    sum.exec(read('docs/operations.md'))?.slice(1).map(Number) ?? [];
  expect(ofTask).toBe(numberIn('apps/api/src/config.ts', /DATABASE_POOL_SIZE: .*default\((\d+)\)/));
  expect(ofLab).toBe(numberIn('infra/access/roles.sql', /minitickets_lab .*connection limit (\d+)/));
  expect(tasks * ofTask).toBe(numberIn('infra/access/roles.sql', /minitickets_api .*connection limit (\d+)/));
  expect(tasks).toBe(numberIn('infra/haproxy/haproxy.cfg', /server-template task (\d+)/));
  expect(most).toBe(numberIn('docker-compose.yml', /max_connections=(\d+)/));
  expect(total).toBe(tasks * ofTask + ofLab + reserved);
  expect(total).toBeLessThan(most);
});
