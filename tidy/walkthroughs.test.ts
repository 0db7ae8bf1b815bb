import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** `docs/architecture.md` links the functions that a request passes. They must exist, and the running programs must import them. */

const programs = [
  'apps/api/src/server.ts',
  'apps/lab/src/server.ts',
  'apps/lab/src/runs/run-program.ts',
  'packages/stack/balancer/server.ts',
];
/** Where the workspaces' export maps point in development. */
const workspaces: [RegExp, string][] = [
  [/^@minitickets\/api\/(.+)$/, 'apps/api/src/$1.ts'],
  [/^@minitickets\/decisions\/(.+)$/, 'packages/decisions/$1.ts'],
  [/^@minitickets\/contract$/, 'packages/contract/src/index.ts'],
  [/^@minitickets\/stack\/balancer$/, 'packages/stack/balancer/balancer.ts'],
];

type Import = { file: string; names: string[] };

/** Returns the value imports of a module from this repository: the file, and the names that it imports from there. */
function importsOf(file: string): Import[] {
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s+(?!type\b)([^'";]*?)from '([^']+)'/gm);
  return [...statements].flatMap(([, names = '', from = '']) => {
    const workspace = workspaces.find(([pattern]) => pattern.test(from));
    const target = from.startsWith('.')
      ? normalize(join(dirname(file), from))
      : workspace && from.replace(workspace[0], workspace[1]);
    if (!target || !existsSync(target)) return [];
    return [{ file: target, names: names.replaceAll(/\btype \w+/g, '').match(/\w+/g) ?? [] }];
  });
}

const reached = new Map<string, Import[]>();
const visit = (file: string) => {
  if (reached.has(file)) return;
  const imports = importsOf(file);
  reached.set(file, imports);
  for (const { file: target } of imports) visit(target);
};
for (const program of programs) visit(program);
const imported = new Set(
  [...reached.values()].flat().flatMap(({ file, names }) => names.map((name) => `${file} ${name}`)),
);

const named = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/\[`(\w+)`\]\(\.\.\/([\w./-]+\.ts)\)/g)].map(
  ([, name = '', file = '']) => ({ name, file }),
);

test('the walkthroughs link the functions that they describe', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(reached.size).toBeGreaterThan(100);
});

test('every function that a walkthrough links is exported by that file', () => {
  const exportOf = (name: string) => new RegExp(`^export (?:async )?(?:function|const|class) ${name}\\b`, 'm');
  expect(named.filter(({ name, file }) => !exportOf(name).test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('a running program imports every function that a walkthrough links', () => {
  expect(named.filter(({ name, file }) => !imported.has(`${file} ${name}`))).toEqual([]);
});
