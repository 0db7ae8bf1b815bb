import { createHash } from 'node:crypto';

/**
 * A Redis user with its permissions in the syntax of `ACL SETUSER`.
 * @typedef {object} RedisUser
 * @property {string} name
 * @property {string} password of letters, digits, `-` and `_`
 * @property {string} rules
 */

/**
 * Returns the users of a stack's Redis. Tasks and lab have no access to each other's keys, nor to the server's configuration.
 * @param {{ owner: string, api: string, lab: string }} passwords
 * @returns {[owner: RedisUser, api: RedisUser, lab: RedisUser]}
 */
export function redisUsers({ owner, api, lab }) {
  return [
    { name: 'owner', password: owner, rules: '~* &* +@all' },
    { name: 'api', password: api, rules: '~mt:* &mt:* +@all -@admin -@dangerous +info' },
    // The lab pauses Redis to demonstrate outages, and lists connected runs.
    {
      name: 'lab',
      password: lab,
      rules: '~experiment:* &experiment:* +@all -@admin -@dangerous +info +client|list +client|pause',
    },
  ];
}

/**
 * Returns the ACL file of Redis. It contains password hashes; every user needs a password.
 * @param {readonly RedisUser[]} users
 */
export function aclFile(users) {
  const lines = users.map(({ name, password, rules }) => {
    const hash = createHash('sha256').update(password).digest('hex');
    return `user ${name} on #${hash} ${rules}\n`;
  });
  // Nobody can log in as the default user, but it keeps its rights: Redis replays an append-only file as this user, and drops
  // commands that it may not execute.
  return `user default off resetpass ~* &* +@all\n${lines.join('')}`;
}
