import { demoVariables, readVariables, whyDemoIsPublic } from '@minitickets/api/config';
import { keptResultsFolder } from '@minitickets/decisions/frame/kept-results';
import { z } from 'zod';

// Experiments have a variable of their own for production.
const { ALLOW_DEMO_IN_PRODUCTION: _, ...demo } = demoVariables;

const config = z
  .object({
    ...demo,
    /** Experiments create databases and load the stores, so production needs an explicit opt-in. */
    ALLOW_LAB_IN_PRODUCTION: z.enum(['true', 'false']).default('false'),
    /** A pause of Redis stops all log-ins and bookings, so only a stack with a single user allows it. */
    ALLOW_REDIS_PAUSES: z.enum(['true', 'false']).default('false'),
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
    /** For a role that can create databases. */
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    REDIS_URL: z.url({ protocol: /^rediss?$/ }),
    /** The folder in which runs are stored. */
    LAB_DATA_DIR: z.string().min(1).default(keptResultsFolder),
    LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  })
  .superRefine((all, context) => {
    if (all.NODE_ENV === 'production' && all.ALLOW_LAB_IN_PRODUCTION !== 'true') {
      const message = 'the lab starts in production only with ALLOW_LAB_IN_PRODUCTION=true';
      context.addIssue({ code: 'custom', path: ['NODE_ENV'], message });
    }
    const why = whyDemoIsPublic(all);
    if (why)
      context.addIssue({
        code: 'custom',
        path: ['lab'],
        message: `anyone who reaches the lab runs experiments: ${why}`,
      });
  })
  .transform((all) => ({
    host: all.HOST,
    port: all.PORT,
    publicUrl: all.PUBLIC_URL,
    allowRedisPauses: all.ALLOW_REDIS_PAUSES === 'true',
    databaseUrl: all.DATABASE_URL,
    redisUrl: all.REDIS_URL,
    dataDir: all.LAB_DATA_DIR,
    logLevel: all.LOG_LEVEL,
  }));

export type Config = z.infer<typeof config>;

/** Returns the configuration. @throws ConfigError that names every invalid variable */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  return readVariables(config, environment);
}
