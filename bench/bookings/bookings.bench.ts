import { availableParallelism } from 'node:os';
import { benchThroughHttp } from './through-http.ts';
import { benchWritePath } from './write-path.ts';

/**
 * How fast the hottest event is booked. Arms run in turn, so trust the ratios: absolute figures are this machine's, at this
 * moment. `npm run bench:bookings -- write-path` or `-- http` runs one half.
 */
const [half] = process.argv.slice(2);
const halves = { 'write-path': benchWritePath, http: benchThroughHttp };
console.log(`Node ${process.version}, ${availableParallelism()} cores`);
let reached = true;
for (const [name, bench] of Object.entries(halves)) {
  if (half === undefined || half === name) reached = (await bench()) && reached;
}
console.log(reached ? '\nEvery target was reached.' : '\nSome targets were missed.');
process.exitCode = reached ? 0 : 1;
