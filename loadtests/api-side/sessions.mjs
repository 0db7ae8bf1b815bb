// Creates and ends sessions with the product's own code. It is piped to `node --input-type=module - <command>` where the API
// runs, in its environment and with the repository as its working directory: on this machine, or in a container.
//
//   mint <count>                  the first <count> customers and the organiser; prints them as JSON
//   end <count> <organiser sid>   ends these sessions and any that those customers have started since
import { randomBytes } from 'node:crypto';

const ours = (path) => import(`${process.cwd()}/${path}`);
const { readConfig } = await ours('apps/api/dist/config.js');
const { openDatabase } = await ours('apps/api/dist/db/client.js');
const { openRedis } = await ours('apps/api/dist/db/redis.js');
const { deriveKey } = await ours('apps/api/dist/keys.js');
const { bucketKey } = await ours('apps/api/dist/queries/rate-limits-script.js');
const { createSession, endSession, endSessionsOf } = await ours('apps/api/dist/queries/sessions.js');
const { userByEmail } = await ours('apps/api/dist/queries/users.js');
const { sessionOwner } = await ours('apps/api/dist/rules/session-owner.js');
const { accountOf, bucketNames, userOf } = await ours('apps/api/dist/rules/client-identity.js');
const { demoPassword, loadCustomerEmail } = await ours('packages/contract/dist/index.js');

const AT_ONCE = 20;
const [command, count, organiserSid] = process.argv.slice(2);
const emails = Array.from({ length: Number(count) }, (_, index) => loadCustomerEmail(index + 1));

const config = readConfig();
const onIdleError = (error) => console.error(error);
const { db, pool } = openDatabase({ url: config.databaseUrl, poolSize: 5, taskName: 'load', onIdleError });
const redis = openRedis({ url: config.redisUrl, keyPrefix: config.redisKeyPrefix, onError: onIdleError });
const ownerOf = ({ id }) => sessionOwner(config.appSecret, id);
const nameOf = bucketNames(deriveKey(config.appSecret, 'limit-identity'));
try {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  if (command === 'mint') {
    const customers = await eachOf(emails, mintCustomer);
    const organiser = await mint(await account('organiser@minitickets.example'));
    process.stdout.write(JSON.stringify({ customers, organiser, password: demoPassword }));
  } else if (command === 'end') {
    await eachOf(emails, async (email) => endSessionsOf(redis, ownerOf(await account(email))));
    await endSession(redis, organiserSid);
  } else throw new Error(`mint or end, not ${command}`);
} finally {
  redis.disconnect();
  await pool.end();
}

/** Also resets the customer's buckets, so that a ban of an earlier run does not affect this one. */
async function mintCustomer(email) {
  const user = await account(email);
  const buckets = [nameOf('booking', userOf(user.id)), nameOf('login-account', accountOf(email))];
  await redis.del(buckets.map(bucketKey));
  return mint(user);
}

async function mint(user) {
  const sid = randomBytes(32).toString('base64url');
  await createSession(redis, sid, user, ownerOf(user));
  return { email: user.email, sid };
}

async function account(email) {
  const found = await userByEmail(db, email);
  if (!found) throw new Error(`There is no ${email}: npm run seed creates the demo data.`);
  return found;
}

/** In small batches, because two thousand concurrent commands would exceed their deadlines. */
async function eachOf(items, work) {
  const results = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}
