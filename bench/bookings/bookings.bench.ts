import { availableParallelism } from 'node:os';
import { benchThroughHttp } from './through-http.ts';
import { benchWritePath } from './write-path.ts';

/**
 * Measures bookings of one hot event. Arms run in turn, so trust the ratios, not the absolute figures.
 * `npm run bench:bookings -- write-path` or `-- http` runs one half.
 */
const halves = { 'write-path': benchWritePath, http: benchThroughHttp };
const requested = process.argv.slice(2);
const names = Object.keys(halves) as (keyof typeof halves)[];
const unknown = requested.filter((name) => !names.some((half) => half === name));
if (unknown.length > 0) {
  console.error(`There is no half called ${unknown.join(', ')}: ${names.join(' or ')}, or none for both.`);
  process.exit(2);
}
console.log(`Node ${process.version}, ${availableParallelism()} cores`);
let reached = true;
for (const name of names) {
  if (requested.length === 0 || requested.includes(name)) reached = (await halves[name]()) && reached;
}
console.log(reached ? '\nEvery target was reached.' : '\nSome targets were missed.');
process.exitCode = reached ? 0 : 1;
