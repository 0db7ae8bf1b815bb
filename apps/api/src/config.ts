import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isLoopback } from '@minitickets/contract';
import { parseAddressRange } from '@minitickets/contract/address-ranges';
import { z } from 'zod';

/** The version in the package manifest, which is one level above both `src` and `dist`. */
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

const addressRanges = z.string().transform((text, context) => {
  const ranges = text
    .split(',')
    .map((range) => range.trim())
    .filter(Boolean);
  for (const range of ranges) {
    const parsed = parseAddressRange(range);
    if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: `${range}: ${parsed}` });
  }
  return ranges;
});

const isHttpOrigin = (text: string) =>
  /^https?:/i.test(text) && URL.canParse(text) && new URL(text).origin === text.toLowerCase().replace(/\/$/, '');

/** An origin: scheme, host, perhaps a port. The pages and cookies live at the root, so a path is refused. */
export const publicUrl = z
  .string()
  .refine(isHttpOrigin, 'an origin, as in https://shop.example')
  .transform((text) => new URL(text).origin);

/** The variables that decide whether the demo is allowed: accounts with a public password, and the open lab. */
export const demoVariables = {
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  /** The address under which browsers reach the shop, as in https://shop.example. From it follow Secure cookies, HSTS and the allowed host. */
  PUBLIC_URL: publicUrl.optional(),
  /** The address on which the balancer listens or is published. Loopback by default. */
  BIND: z.string().default('127.0.0.1'),
  /** `true`: the demo is meant to run from the production image. */
  ALLOW_DEMO_IN_PRODUCTION: z.enum(['true', 'false']).default('false'),
  /** `true`: the demo is meant to be used by anyone who reaches it from other machines. */
  ALLOW_PUBLIC_DEMO: z.enum(['true', 'false']).default('false'),
};
type DemoVariables = z.output<z.ZodObject<typeof demoVariables>>;

/** Returns why other people could use the demo, for the operator; undefined if it stays on this machine or may be public. */
export function whyDemoIsPublic({
  PUBLIC_URL,
  BIND,
  ALLOW_PUBLIC_DEMO,
}: Omit<DemoVariables, 'ALLOW_DEMO_IN_PRODUCTION'>) {
  if (ALLOW_PUBLIC_DEMO === 'true') return undefined;
  const without = 'and ALLOW_PUBLIC_DEMO is not true';
  if (PUBLIC_URL && !isLoopback(new URL(PUBLIC_URL).host)) return `PUBLIC_URL is ${PUBLIC_URL}, ${without}`;
  return isLoopback(BIND) ? undefined : `other machines reach the address ${BIND}, ${without}`;
}

/** Returns why demo accounts are refused, for the operator; undefined if they are allowed. */
export function whyNoDemo(all: DemoVariables) {
  if (all.NODE_ENV === 'production' && all.ALLOW_DEMO_IN_PRODUCTION !== 'true')
    return 'NODE_ENV is production, and ALLOW_DEMO_IN_PRODUCTION is not true';
  return whyDemoIsPublic(all);
}

const secret = z.string().min(32, 'at least 32 characters: openssl rand -base64 33');

const variables = z.object({
  ...demoVariables,
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  /** The task's name in `X-Served-By`, logs and metrics. */
  TASK_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default(
      hostname()
        .replace(/[^\w.-]/g, '-')
        .slice(0, 64),
    ),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** PostgreSQL connections of the whole task, including those for bookings. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(100).default(10),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w:.-]{0,40}$/)
    .default('mt:'),
  /** Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, comma-separated. None by default. */
  TRUSTED_PROXIES: addressRanges.default([]),
  /** With it, a request of a trusted proxy also has to carry this secret. An address alone can be another program's on the same machine. */
  PROXY_SECRET: secret.optional(),
  /** The secret from which every key of the application is derived. The same in all tasks. */
  APP_SECRET: secret,
  /** Older secrets, comma-separated: tickets signed with them stay valid. */
  APP_SECRETS_BEFORE: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(secret).max(5)),
  HOLD_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
  /** The directory of the built pages; without it the API serves no pages. */
  WEB_ROOT: z.string().min(1).optional(),
  /** With it, `/metrics` needs `Authorization: Bearer <token>`. Without it, production serves `/metrics` to its own machine only. */
  METRICS_TOKEN: secret.optional(),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
});

/** A secret that looks random: no example from a manual, no single repeated character. */
function isWeak(value: string) {
  return new Set(value).size < 12 || /secret|password|changeme|example|minitickets|0123456789|abcdef/i.test(value);
}

const config = variables
  .superRefine((all, context) => {
    for (const name of ['APP_SECRET', 'APP_SECRETS_BEFORE', 'METRICS_TOKEN', 'PROXY_SECRET'] as const) {
      if (all.NODE_ENV === 'production' && [all[name] ?? []].flat().some(isWeak)) {
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'too easy to guess for production: openssl rand -base64 33',
        });
      }
    }
  })
  .transform((all) => ({
    production: all.NODE_ENV === 'production',
    checkAnswers: all.NODE_ENV === 'test',
    demoAllowed: whyNoDemo(all) === undefined,
    host: all.HOST,
    port: all.PORT,
    publicUrl: all.PUBLIC_URL,
    taskName: all.TASK_NAME,
    databaseUrl: all.DATABASE_URL,
    databasePoolSize: all.DATABASE_POOL_SIZE,
    redisUrl: all.REDIS_URL,
    redisKeyPrefix: all.REDIS_KEY_PREFIX,
    trustedProxies: all.TRUSTED_PROXIES,
    proxySecret: all.PROXY_SECRET,
    appSecret: all.APP_SECRET,
    appSecretsBefore: all.APP_SECRETS_BEFORE,
    holdSeconds: all.HOLD_SECONDS,
    webRoot: all.WEB_ROOT,
    metricsToken: all.METRICS_TOKEN,
    logLevel: all.LOG_LEVEL,
    version,
  }));

export type Config = z.infer<typeof config>;

/**
 * Variables that hold secrets. Each can also be read from the file named by `<NAME>_FILE`, as container platforms mount
 * secrets.
 */
const readableFromFile = [
  'APP_SECRET',
  'APP_SECRETS_BEFORE',
  'DATABASE_URL',
  'REDIS_URL',
  'METRICS_TOKEN',
  'PROXY_SECRET',
] as const;

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads a task's configuration. @throws ConfigError as `readVariables` does */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  return readVariables(config, environment);
}

/**
 * Reads environment variables by a schema. An empty variable counts as unset, as compose files write it. A variable overrides
 * its file.
 * @throws ConfigError that names every invalid variable at once, and never shows the value of a secret
 */
export function readVariables<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.output<Schema> {
  const { present, unreadable } = withFilesRead(environment);
  const read = schema.safeParse(present);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  const lines = [...unreadable, ...issues];
  throw new ConfigError(`The configuration is not usable:\n${lines.join('\n')}`);
}

/**
 * Returns the database's URL, for commands that need nothing else; undefined if the environment has none.
 * @throws ConfigError if its file cannot be read
 */
export function readDatabaseUrl(environment: Record<string, string | undefined> = process.env) {
  const { present, unreadable } = withFilesRead(environment);
  const problem = unreadable.find((line) => line.includes('DATABASE_URL_FILE'));
  if (problem) throw new ConfigError(`The configuration is not usable:\n${problem}`);
  return present.DATABASE_URL;
}

/** Returns the database's URL, for commands that require it. @throws ConfigError if it is missing or invalid */
export function requireDatabaseUrl(environment: Record<string, string | undefined> = process.env) {
  return readVariables(z.object({ DATABASE_URL: variables.shape.DATABASE_URL }), environment).DATABASE_URL;
}

/**
 * Returns the database's URL, for the seed.
 * @throws ConfigError if it is missing or invalid, or if the demo is refused here
 */
export function requireDemoDatabaseUrl(environment: Record<string, string | undefined> = process.env) {
  const schema = z
    .object({ ...demoVariables, DATABASE_URL: variables.shape.DATABASE_URL })
    .superRefine((all, context) => {
      const why = whyNoDemo(all);
      const message = `the seed is refused because the demo accounts have a public password: ${why}`;
      if (why) context.addIssue({ code: 'custom', path: ['demo'], message });
    });
  return readVariables(schema, environment).DATABASE_URL;
}

/** Returns the non-empty variables, including those read from files. */
function withFilesRead(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const unreadable: string[] = [];
  for (const name of readableFromFile) {
    const path = present[`${name}_FILE`];
    if (path === undefined || present[name] !== undefined) continue;
    try {
      present[name] = readFileSync(path, 'utf8').trim();
    } catch {
      unreadable.push(`  ${name}_FILE: the file cannot be read`);
    }
  }
  return { present, unreadable };
}
