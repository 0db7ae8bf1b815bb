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

/**
 * The rooms of each workspace from the top down. A file imports its own room, and rooms that stand lower. A room is a folder or
 * a file; of nested rooms a path belongs to the longest. `*` stands for every room that is not named.
 */
const FLOORS: Record<string, string[][]> = {
  'apps/api/src': [
    ['server.ts', 'testing'],
    ['app.ts', 'drain.ts'],
    ['routes', 'jobs', 'seed'],
    ['plugins'],
    ['limiting', 'booking', 'caching', 'payments', 'audit', 'health', 'credentials.ts', 'rounds.ts'],
    ['deps.ts', 'passwords.ts', 'serializers.ts'],
    ['queries'],
    ['db'],
    ['config.ts'],
    ['rules'],
    ['errors.ts', 'keys.ts'],
  ],
  'apps/web/src': [
    ['main.tsx', 'prerender.tsx', 'testing'],
    ['routes.tsx'],
    ['pages'],
    ['shop', 'organise', 'operations', 'limiter', 'decisions'],
    ['account'],
    ['interface'],
    ['words', 'drawing'],
    ['api'],
    ['return-to.ts'],
  ],
  'apps/lab/src': [
    ['server.ts', 'testing'],
    ['lab.ts'],
    ['app.ts'],
    ['routes'],
    ['deps.ts'],
    ['runs', 'redis-pauses.ts'],
    ['config.ts'],
  ],
  'packages/decisions': [
    ['frame/command'],
    ['experiments.ts'],
    ['*'],
    ['frame/subjects'],
    ['frame/interleaving'],
    ['frame'],
  ],
  'packages/stack': [['whole-stack'], ['testing', 'launcher'], ['test-stores'], ['stores'], ['processes', 'balancer']],
};

/** Imports of other modules of the repository, those of types and of JSDoc among them. */
const importsOf = (file: string) =>
  [
    ...read(file).matchAll(/^(?:import|export)\s[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm),
  ].map(([, from, bare, inline]) => normalize(join(dirname(file), from ?? bare ?? inline ?? '')));

const modules = source.filter((file) => !/\.test\.tsx?$/.test(file));
const api = modules.filter((file) => file.startsWith('apps/api/src/'));

function placeOf(file: string, root: string) {
  const path = file.slice(root.length + 1);
  const floors = FLOORS[root] ?? [];
  const named = floors.flat().filter((room) => path === room || path.startsWith(`${room}/`));
  const room = named.toSorted((a, b) => b.length - a.length)[0] ?? path.split('/')[0] ?? '';
  return { room, floor: floors.findIndex((floor) => floor.includes(named.length > 0 ? room : '*')) };
}
const roomOf = (file: string) => placeOf(file, 'apps/api/src').room;

test('the repository’s files are found', () => {
  expect(api.length).toBeGreaterThan(20);
  expect(docs.length).toBeGreaterThan(0);
  expect(manifests.length).toBeGreaterThan(3);
});

test.each(Object.keys(FLOORS))('every room of %s has a floor, and imports point only downward', (root) => {
  const inside = modules.filter((file) => file.startsWith(`${root}/`));
  expect(inside.length).toBeGreaterThan(5);
  expect(inside.filter((file) => placeOf(file, root).floor === -1)).toEqual([]);
  const upward = inside.flatMap((file) => {
    const from = placeOf(file, root);
    return importsOf(file)
      .filter((target) => inside.includes(target))
      .filter((target) => placeOf(target, root).room !== from.room && placeOf(target, root).floor <= from.floor)
      .map((target) => `${file} → ${target}`);
  });
  expect(upward).toEqual([]);
});

test('no modules import each other in a cycle, not even by their types', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const target of importsOf(file)) if (modules.includes(target)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of modules) visit(file, []);
  expect(cycles).toEqual([]);
});

test('rules are synchronous and import no store client', () => {
  const waiting = api.filter(
    (file) => roomOf(file) === 'rules' && /\bawait\b|\basync\b|from '(pg|ioredis|drizzle-orm)/.test(read(file)),
  );
  expect(waiting).toEqual([]);
});

test('every query takes its connection as the first parameter', () => {
  const odd = api
    .filter((file) => roomOf(file) === 'queries')
    .flatMap((file) =>
      [...read(file).matchAll(/^export async function (\w+)\(\s*(\w+)/gm)]
        .filter(([, , first]) => first !== 'db' && first !== 'redis')
        .map(([, name]) => `${file}: ${name}`),
    );
  expect(odd).toEqual([]);
});

test('every decision of the limiter goes through takeToken: nothing else in the product calls what stands below it', () => {
  const below = /\b(?:batchDecision|decideTogether|decideWithReceipt)\b/;
  const door = ['rate-limits.ts', 'rate-limits-script.ts', 'decision-batches.ts'].map(
    (file) => `apps/api/src/queries/${file}`,
  );
  const callers = modules.filter((file) => /^(apps|packages)\//.test(file) && below.test(read(file)));
  expect(callers.toSorted()).toEqual(door.toSorted());
});

test('only config.ts reads the environment of an application', () => {
  const readers = source.filter(
    (file) => /^(apps\/(api|web|lab)|packages\/contract)\/src/.test(file) && /process\.env/.test(read(file)),
  );
  expect(readers.filter((file) => !/\/config(\.test)?\.ts$/.test(file))).toEqual([]);
});

test('only error-mapping decides the status of an error response', () => {
  const throwers = api.filter((file) => /statusCode = |createError\(|httpErrors/.test(read(file)));
  expect(throwers).toEqual([]);
});

test('no test is skipped or focused, and no code has a to-do mark', () => {
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

test('what npm start builds and runs, installed without devDependencies, imports nothing that only tests install', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const ofTests =
    /^apps\/web\/journeys\/|\/testing\/|\/typed-client\/|\/describe-decision\.ts$|^packages\/stack\/(?:test-stores|whole-stack)\/|\.config\.ts$/;
  const built = modules.filter((file) => /^(?:apps|packages)\//.test(file));
  const running = [...built.filter((file) => !ofTests.test(file)), 'apps/web/vite.config.ts'];
  const missing = running.flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export)\s[^'"]*?from '([^'.][^']*)'|^import '([^'.][^']*)'/gm)]
      .map(([, from, bare]) => /^(?:@[^/]+\/)?[^/]+/.exec(from ?? bare ?? '')?.[0] ?? '')
      .filter((name) => !/^(?:node:|virtual:|@minitickets$)/.test(name))
      .flatMap((name) => [name, `@types/${name}`])
      .filter((name) => packages[`node_modules/${name}`]?.dev)
      .map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
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

test('only the newest migration keeps its snapshot of the schema: drizzle-kit compares with no other', () => {
  const meta = 'apps/api/src/db/migrations/meta/';
  const newest = JSON.parse(read(`${meta}_journal.json`))
    .entries.at(-1)
    .tag.slice(0, 4);
  const snapshots = files.filter((file) => file.startsWith(meta) && file.endsWith('_snapshot.json'));
  expect(snapshots).toEqual([`${meta}${newest}_snapshot.json`]);
});

test('the lockfile contains no registry URLs', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/);
});

test('no file contains an absolute path of a developer’s machine', () => {
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

test('every relative link in the docs resolves', () => {
  const broken = docs.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .filter(([, target]) => !existsSync(join(dirname(file), decodeURIComponent(target ?? ''))))
      .map(([, target]) => `${file} → ${target}`),
  );
  expect(broken).toEqual([]);
});

/** The anchors that GitHub gives a document's headings. */
const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link to a heading of the docs resolves', () => {
  const broken = docs.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([^)\s]+)\)/g)]
      .filter(([, target, anchor = '']) => !anchorsOf(target ? join(dirname(file), target) : file).includes(anchor))
      .map(([, target = '', anchor]) => `${file} → ${target}#${anchor}`),
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
