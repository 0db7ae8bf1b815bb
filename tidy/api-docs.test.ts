import { readFileSync } from 'node:fs';
import { type Operation, paths, type Route, routes } from '@minitickets/contract';
import { expect, test } from 'vitest';

/** The table of operations in `docs/api.md` is made from the contract. `npx vitest run --project repository -u` writes it anew. */

const file = 'docs/api.md';
const [begin, end] = ['<!-- operations -->\n', '<!-- end of operations -->'];

function rowOf(name: Operation) {
  const route: Route = routes[name];
  const own = route.problems.map((code) => `\`${code}\``).join(', ') || '–';
  return `| \`${paths[name].join(' ')}\` | ${route.access} | ${budgetOf(route)} | ${own} |`;
}

/** The policy of an operation, and how many tokens it takes where that is not always one. */
function budgetOf(route: Route) {
  if (typeof route.limit === 'object' && 'unlimited' in route.limit) return '–';
  const policies = typeof route.limit === 'string' ? [route.limit] : route.limit.chosenFrom;
  const cost = costOf(route);
  return `${policies.map((policy) => `\`${policy}\``).join(' or ')}${cost === '1' ? '' : `: ${cost}`}`;
}

/** The cost of the cheapest and of the dearest query that the schema accepts. */
function costOf({ cost = 1, schema }: Route) {
  if (typeof cost === 'number') return `${cost}`;
  const sizes = Array.from({ length: 100 }, (_, index) => index + 1);
  const queries = sizes.flatMap((size) => [{ limit: size }, { limit: size, search: 'x' }, { cost: size }]);
  const costs = queries.filter((query) => schema.querystring?.safeParse(query).success).map((query) => cost(query));
  return `${Math.min(...costs)} to ${Math.max(...costs)}`;
}

test('the table of operations in docs/api.md is that of the contract', async () => {
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin);
  const [, after] = rest.split(end);
  const table = [
    '| operation | who | policy: tokens, if not 1 | problems of its own |',
    '| --- | --- | --- | --- |',
    ...(Object.keys(paths) as Operation[]).map(rowOf),
  ];
  expect(after, `${file} has the marks of the table`).toBeDefined();
  await expect(`${before}${begin}\n${table.join('\n')}\n\n${end}${after}`).toMatchFileSnapshot(`../${file}`);
});
