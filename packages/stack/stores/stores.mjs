import { keepRunning } from '../processes/keep-running.mjs';
import { placesOf, rotateLog, secretsOf } from './files.mjs';
import { findRedisProgram } from './find-redis.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis, urlOf } from './redis.mjs';
import { redisUsers } from './redis-users.mjs';

/**
 * The URLs of both stores for one role.
 * @typedef {{ databaseUrl: string, redisUrl: string }} Access
 *
 * @typedef {object} Stores
 * @property {string} databaseUrl with a superuser: for people and their commands
 * @property {string} redisUrl with a user who has all permissions
 * @property {{ owner: Access, api: Access, lab: Access }} access least-privilege URLs of each kind of process; of an external store all
 *   use the given URL
 * @property {import('./postgres.mjs').Postgres | undefined} postgres undefined if it is external
 * @property {import('./redis.mjs').Redis | undefined} redis undefined if it is external
 * @property {string} description one line
 */

/** The superuser of our PostgreSQL. The roles that processes use are in `infra/access/roles.sql`. */
const SUPERUSER = 'postgres';

/**
 * Starts the stores that are not provided by URL, and restarts them if they die.
 * @param {{ dataDir: string, durable?: boolean | undefined, databaseUrl?: string | undefined, redisUrl?: string | undefined }} options
 * @param {import('../processes/processes.mjs').Tools} tools
 * @returns {Promise<Stores>}
 */
export async function startStores({ dataDir, durable = true, databaseUrl, redisUrl }, { started, step, note }) {
  const places = placesOf(dataDir);

  const startOurPostgres = async () => {
    const { superuser: password } = secretsOf(dataDir).postgres;
    const logFile = rotateLog(places.logs, 'postgres');
    const server = { dataDir: places.postgres, user: SUPERUSER, password, fsync: durable, logFile };
    return await startPostgres({ ...server, log: note });
  };
  const postgres = databaseUrl
    ? undefined
    : await step('PostgreSQL', startOurPostgres, ({ version, port }) => `${version}, port ${port}`);
  if (postgres) started.push(keepRunning(postgres, { name: 'PostgreSQL', note }));

  const startOurRedis = async () => {
    const program = await findRedisProgram({ log: note });
    const users = redisUsers(secretsOf(dataDir).redis);
    return await startRedis({
      dataDir: places.redis,
      users,
      program,
      logFile: rotateLog(places.logs, 'redis'),
      log: note,
    });
  };
  const redis = redisUrl
    ? undefined
    : await step('Redis', startOurRedis, ({ version, from, port }) => `${version}, port ${port} (${from})`);
  if (redis) started.push(keepRunning(redis, { name: 'Redis', note }));

  const given = { databaseUrl: databaseUrl ?? `${postgres?.url}`, redisUrl: redisUrl ?? `${redis?.url}` };
  return {
    ...given,
    access: accessTo(given, { dataDir, postgres, redis }),
    postgres,
    redis,
    description: [
      postgres ? `PostgreSQL ${postgres.version}` : 'PostgreSQL from DATABASE_URL',
      redis ? `Redis ${redis.version}` : 'Redis from REDIS_URL',
    ].join(' · '),
  };
}

/**
 * @param {Access} given
 * @param {Pick<Stores, 'postgres' | 'redis'> & { dataDir: string }} ours
 * @returns {Stores['access']}
 */
function accessTo(given, { dataDir, postgres, redis }) {
  const database = (/** @type {string} */ name, /** @type {string} */ password, path = '/minitickets') =>
    Object.assign(new URL(given.databaseUrl), { username: name, password, pathname: path }).href;
  const access = { owner: { ...given }, api: { ...given }, lab: { ...given } };
  if (postgres) {
    const { owner, api, lab } = secretsOf(dataDir).postgres;
    access.owner.databaseUrl = database('minitickets', owner);
    access.api.databaseUrl = database('minitickets_api', api);
    // The lab creates its own databases and cannot connect to the shop's.
    access.lab.databaseUrl = database('minitickets_lab', lab, '/postgres');
  }
  if (redis) {
    const [, api, lab] = redisUsers(secretsOf(dataDir).redis);
    access.api.redisUrl = urlOf(redis.port, api);
    access.lab.redisUrl = urlOf(redis.port, lab);
  }
  return access;
}
