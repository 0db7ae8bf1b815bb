import { isIP } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCodes, Failure } from '../processes/failure.mjs';
import { doctor } from './doctor.mjs';
import { experiment } from './experiment.mjs';
import { reset, seed, status, stop } from './running.mjs';
import { printFailure } from './screen.mjs';
import { repository } from './stack.mjs';
import { start } from './start.mjs';
import { test } from './test.mjs';

const usage = `Usage: npm start                  start everything and stay until Ctrl-C
         -- --port N             listen on port N instead of 8080 (or PORT=N)
         -- --host ADDRESS       listen on this address instead of the loopback (or HOST=ADDRESS)
         -- --tasks N            run N API tasks instead of 3
         -- --fresh              start with empty stores
         -- --no-seed            skip the demo data
         -- --no-lab             skip the process that runs experiments for the pages
       npm run dev               start the sources, with the flags of npm start, and reload what changes; one API task
       npm run status            show what is running and whether it is ready (-- --json, -- --env)
       npm run stop              stop it
       npm run reset             stop it and delete its data
       npm run seed              seed the demo data again
       npm run doctor            check this machine (-- --json)
       npm run experiment        install what is missing, then run one experiment (-- --list, -- NAME)
       npm test                  install and build what is missing, then run the tests (arguments go to Vitest)`;

/**
 * Runs one of the launcher's commands.
 * @param {readonly string[]} args the command and its flags
 * @returns {Promise<number>} the exit code
 */
export async function runCommand([command, ...args]) {
  const place = { root: repository, dataDir: join(repository, '.data') };
  try {
    switch (command) {
      case 'start':
        return await start(place, { ...startFlags(args), fromSources: false });
      case 'dev':
        return await start(place, { ...startFlags(['--tasks', '1', ...args]), fromSources: true });
      case 'stop':
        return await stop(place);
      case 'status':
        return await status(place, flags(args, { json: { type: 'boolean' }, env: { type: 'boolean' } }));
      case 'reset':
        return await reset(place);
      case 'seed':
        return await seed(place);
      case 'doctor':
        return await doctor(place, flags(args, { json: { type: 'boolean' } }));
      case 'experiment':
        return await experiment(place, args);
      case 'test':
        return await test(place, args);
      default:
        console.log(usage);
        return command === undefined || command === 'help' || command === '--help' ? 0 : exitCodes.usage;
    }
  } catch (error) {
    printFailure(error);
    return error instanceof Failure ? exitCodes[error.step] : 1;
  }
}

/** @param {string[]} args */
function startFlags(args) {
  const given = flags(args, {
    port: { type: 'string' },
    host: { type: 'string' },
    tasks: { type: 'string' },
    fresh: { type: 'boolean' },
    'no-seed': { type: 'boolean' },
    'no-lab': { type: 'boolean' },
  });
  const port = given.port ?? (process.env.PORT || undefined);
  return {
    port: port === undefined ? undefined : wholeNumber('port', port, 1, 65_535),
    host: given.host ?? hostFromEnvironment(),
    tasks: wholeNumber('tasks', given.tasks ?? '3', 1, 16),
    fresh: given.fresh === true,
    seed: given['no-seed'] !== true,
    lab: given['no-lab'] !== true,
  };
}

/** Accepts only an IP address, because some shells set HOST to the machine's name, which would expose the stack to the network. */
function hostFromEnvironment() {
  const { HOST: host = '' } = process.env;
  return isIP(host) ? host : 'localhost';
}

/**
 * @template {import('node:util').ParseArgsConfig['options'] & {}} Options
 * @param {string[]} args
 * @param {Options} options
 */
function flags(args, options) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), { step: 'usage', fix: `\n${usage}` });
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function wholeNumber(name, text, min, max) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < min || number > max) {
    throw new Failure(`--${name} must be a whole number from ${min} to ${max}, not ${text}.`, { step: 'usage' });
  }
  return number;
}
