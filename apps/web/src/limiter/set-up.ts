import { type OnStoreFailure, type PlaygroundPolicy, pathOf, type ShippedTier } from '@minitickets/contract';
import { addressOf } from '../api/call.ts';

/** Whose bucket the requests spend from: the client IP's, the logged-in account's, or that of an API key's owner. */
export type SentAs = 'address' | 'account' | 'key';

/** The settings that a link to the limiter page reproduces. An API key is never part of them. */
export interface SetUp {
  tier: ShippedTier;
  sentAs: SentAs;
  ratePerSecond: number;
  /** Cost of each request, in tokens. */
  cost: number;
  /** Failure policy while Redis is down; the playground has one limit policy for each. */
  whenAway: OnStoreFailure;
}

/** The rates that a stream can have, in requests per second. */
export const rates = [1, 2, 5, 10, 20, 60] as const;
/** The costs that a request can have; the last one exceeds the capacity of a free bucket. */
export const costs = [1, 2, 3, 5, 10, 15] as const;

/** The playground policy with each failure policy. */
export const policyOf: Record<OnStoreFailure, PlaygroundPolicy> = {
  local: 'playground',
  open: 'playground-open',
  closed: 'playground-closed',
};

/** The search parameters of the page's URL. */
export type SetUpSearch = { tier?: ShippedTier; as?: SentAs; rate?: string; cost?: string; away?: OnStoreFailure };

const defaults: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5, cost: 1, whenAway: 'local' };

/** Reads the settings from an untrusted URL. Invalid values become defaults. */
export function readSetUp(search: Readonly<Record<string, unknown>>): SetUp {
  const { tier, as, rate, cost, away } = search;
  const ratePerSecond = rates.find((one) => String(one) === rate);
  return {
    tier: tier === 'pro' || tier === 'free' ? tier : defaults.tier,
    sentAs: as === 'account' || as === 'key' || as === 'address' ? as : defaults.sentAs,
    ratePerSecond: ratePerSecond ?? defaults.ratePerSecond,
    cost: costs.find((one) => String(one) === cost) ?? defaults.cost,
    whenAway: away === 'open' || away === 'closed' || away === 'local' ? away : defaults.whenAway,
  };
}

/** Returns the search parameters of the settings, without defaults. */
export function writeSetUp({ tier, sentAs, ratePerSecond, cost, whenAway }: SetUp): SetUpSearch {
  return {
    ...(tier !== defaults.tier && { tier }),
    ...(sentAs !== defaults.sentAs && { as: sentAs }),
    ...(ratePerSecond !== defaults.ratePerSecond && { rate: String(ratePerSecond) }),
    ...(cost !== defaults.cost && { cost: String(cost) }),
    ...(whenAway !== defaults.whenAway && { away: whenAway }),
  };
}

/** Returns the URL path of a playground request. Defaults are omitted, except the tier. */
export function requestPath({ tier, cost, whenAway }: Pick<SetUp, 'tier' | 'cost' | 'whenAway'>): string {
  return addressOf('spendPlaygroundTokens', undefined, {
    tier,
    policy: whenAway === defaults.whenAway ? undefined : policyOf[whenAway],
    cost: cost === defaults.cost ? undefined : cost,
  });
}

/**
 * Returns curl commands that send the same requests. Each prints its status, the task that responded and the tokens left.
 * @param origin of the shop, such as `http://localhost:8080`
 * @param loggedInAs the e-mail for the log-in command that an account needs first
 */
export function curlCommands(setUp: SetUp, origin: string, loggedInAs: string | undefined): string {
  const { sentAs } = setUp;
  const logIn = JSON.stringify({ email: loggedInAs ?? 'customer@minitickets.example', password: '…' });
  const address = `'${origin}${requestPath(setUp)}'`;
  const shows = "-s -o /dev/null -w '%{http_code}  %header{x-served-by}  %header{x-ratelimit-remaining} left\\n'";
  const who = { address: '', account: ' -b cookies.txt', key: ' -H "Authorization: Bearer $KEY"' }[sentAs];
  const before = {
    address: [],
    account: [
      `curl -s -c cookies.txt -H 'Content-Type: application/json' \\`,
      // An unescaped apostrophe would end the shell word.
      `  -d '${logIn.replaceAll("'", "'\\''")}' ${origin}${pathOf('logIn', {})}`,
    ],
    key: ['KEY=mt_…'],
  }[sentAs];
  return [
    ...before,
    '# A burst of ten',
    // `-I{}` consumes each number; without it xargs would pass the number to curl as another URL.
    `seq 10 | xargs -P 10 -I{} curl ${shows}${who} \\`,
    `  -X POST ${address}`,
    '# One request, with all response headers',
    `curl -i${who} -X POST ${address}`,
  ].join('\n');
}
