import { scripts } from './scripts.ts';

export type Stack = 'npm' | 'compose' | 'own';
export type Order = {
  scripts: string[];
  short: boolean;
  stack: Stack | undefined;
  /** An address that is not this machine's, and was named in full. */
  foreignUrl: string | undefined;
  /** Handed on to k6. */
  k6: string[];
};

/** The command line cannot be carried out as it stands; the message says what would do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const usage = `Usage: npm run load -- <script> [--short] [--stack npm|compose|own] [k6 options]
       npm run load -- --all [--short]      one after the other (--short alone is the same)

${Object.entries(scripts)
  .map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`)
  .join('\n')}

  --short                 10 to 30 seconds each, for continuous integration
  --stack npm             the stack that npm start runs here
          compose         the stack that docker compose runs here
          own             one that is started for this run, and ended after it
                          (left out: the first of these that there is)
  --target-i-own URL      a stack of yours elsewhere. It needs DATABASE_URL, REDIS_URL and APP_SECRET of that stack, for the
                          sessions and the audit
  -e RATE=50              an option of the script (loadtests/README.md), and whatever else k6 run takes`;

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
    throw new UsageError('Say --target-i-own URL instead of BASE_URL: load can break what it meets.');
  }
  if (all || (order.scripts.length === 0 && order.short)) order.scripts = Object.keys(scripts);
  if (order.scripts.length === 0) throw new UsageError('Which load test?');
  if (order.foreignUrl !== undefined && order.stack !== undefined) {
    throw new UsageError('--stack is one of this machine: it does not go with --target-i-own.');
  }
  return order;
}

function stackNamed(name: string | undefined): Stack {
  if (name === 'npm' || name === 'compose' || name === 'own') return name;
  throw new UsageError('--stack is npm, compose or own.');
}

function urlNamed(text: string | undefined): string {
  if (text === undefined || !/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError('--target-i-own takes the whole address, as in https://staging.example.com.');
  }
  return new URL(text).origin;
}
