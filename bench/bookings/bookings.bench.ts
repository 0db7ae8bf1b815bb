import { availableParallelism } from 'node:os';
import { benchThroughHttp } from './through-http.ts';
import { benchWritePath } from './write-path.ts';

/**
 * How fast the hottest event is booked. Arms run in turn, so trust the ratios: absolute figures are this machine's, at this
 * moment. `npm run bench:bookings -- write-path` or `-- http` runs one half.
 */
const halves = { 'write-path': benchWritePath, http: benchThroughHttp };
const asked = process.argv.slice(2);
const names = Object.keys(halves) as (keyof typeof halves)[];
const unknown = asked.filter((name) => !names.some((half) => half === name));
if (unknown.length > 0) {
  // Nothing measured is no target reached.
  console.error(`There is no half called ${unknown.join(', ')}: ${names.join(' or ')}, or none for both.`);
  process.exit(2);
}
console.log(`Node ${process.version}, ${availableParallelism()} cores`);
let reached = true;
for (const name of names) {
  if (asked.length === 0 || asked.includes(name)) reached = (await halves[name]()) && reached;
}
console.log(reached ? '\nEvery target was reached.' : '\nSome targets were missed.');
process.exitCode = reached ? 0 : 1;
