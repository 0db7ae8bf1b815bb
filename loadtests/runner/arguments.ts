import { scripts } from './scripts.ts';

export type Stack = 'npm' | 'compose' | 'own';
export type Order = {
  scripts: string[];
  short: boolean;
  stack: Stack | undefined;
  /** The origin of a stack on another machine. */
  foreignUrl: string | undefined;
  /** Options passed on to k6. */
  k6: string[];
};

/** An invalid command line; the message says what would be valid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const usage = `Usage: npm run load -- <script> [--short] [--stack npm|compose|own] [k6 options]
       npm run load -- --all [--short]      run all, one after the other (--short alone implies it)

${Object.entries(scripts)
  .map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`)
  .join('\n')}

  --short                 10 to 30 seconds each, for continuous integration
  --stack npm             the running stack of npm start
          compose         the running stack of docker compose
          own             a stack that is started for this run
                          (default: the first of these that runs, else own)
  --target-i-own URL      your stack on another machine; needs its DATABASE_URL, REDIS_URL and APP_SECRET for the sessions and
                          the audit
  -e RATE=50              an option of the script (loadtests/README.md), or any option of k6 run`;

/** @throws UsageError */
export function readArguments(args: readonly string[]): Order {
  const order: Order = { scripts: [], short: false, stack: undefined, foreignUrl: undefined, k6: [] };
  let all = false;
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    if (argument === '--short') order.short = true;
    else if (argument === '--all') all = true;
    else if (argument === '--stack') order.stack = stackNamed(args[++at]);
    else if (argument === '--target-i-own') order.foreignUrl = urlNamed(args[++at]);
    else if (argument.startsWith('-')) {
      order.k6.push(...args.slice(at));
      break;
    } else if (Object.hasOwn(scripts, argument)) order.scripts.push(argument);
    else throw new UsageError(`There is no load test called ${argument}.`);
  }
  if (order.k6.some((word) => /^(-e=?|--env=?)?(BASE_URL|TARGET_I_OWN)=/.test(word))) {
    throw new UsageError('Use --target-i-own URL instead of BASE_URL: load can break a system.');
  }
  if (all || (order.scripts.length === 0 && order.short)) order.scripts = Object.keys(scripts);
  if (order.scripts.length === 0) throw new UsageError('Name a load test, or use --all.');
  if (order.foreignUrl !== undefined && order.stack !== undefined) {
    throw new UsageError('--stack names a stack on this machine and cannot be combined with --target-i-own.');
  }
  return order;
}

function stackNamed(name: string | undefined): Stack {
  if (name === 'npm' || name === 'compose' || name === 'own') return name;
  throw new UsageError('--stack must be npm, compose or own.');
}

function urlNamed(text: string | undefined): string {
  if (text === undefined || !/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError('--target-i-own takes a full URL, such as https://staging.example.com.');
  }
  return new URL(text).origin;
}
