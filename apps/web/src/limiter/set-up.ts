import { type OnStoreFailure, type PlaygroundPolicy, pathOf, type Tier } from '@minitickets/contract';
import { addressOf } from '../api/call.ts';

/** Whose bucket the requests spend from: the address they come from, the account that is logged in, or an API key's owner. */
export type SentAs = 'address' | 'account' | 'key';

/** What a link to the limiter's page reproduces. An API key is never part of it. */
export interface SetUp {
  tier: Tier;
  sentAs: SentAs;
  ratePerSecond: number;
  /** In tokens, of each request. */
  cost: number;
  /** What becomes of a request while Redis is away: each of the playground's policies has its own answer. */
  whenAway: OnStoreFailure;
}

/** The rates that a stream may have. */
export const rates = [1, 2, 5, 10, 20, 60] as const;
/** What a request may cost; the last one is more than a free bucket holds. */
export const costs = [1, 2, 3, 5, 10, 15] as const;

/** The policy of the playground with this answer to an outage. */
export const policyOf: Record<OnStoreFailure, PlaygroundPolicy> = {
  local: 'playground',
  open: 'playground-open',
  closed: 'playground-closed',
};

/** What the page's address may carry. */
export type SetUpSearch = { tier?: Tier; as?: SentAs; rate?: string; cost?: string; away?: OnStoreFailure };

const usual: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5, cost: 1, whenAway: 'local' };

/** Reads the set-up from an address that anybody may have written: what it cannot be is as usual. */
export function readSetUp(search: Readonly<Record<string, unknown>>): SetUp {
  const { tier, as, rate, cost, away } = search;
  const ratePerSecond = rates.find((one) => String(one) === rate);
  return {
    tier: tier === 'pro' || tier === 'free' ? tier : usual.tier,
    sentAs: as === 'account' || as === 'key' || as === 'address' ? as : usual.sentAs,
    ratePerSecond: ratePerSecond ?? usual.ratePerSecond,
    cost: costs.find((one) => String(one) === cost) ?? usual.cost,
    whenAway: away === 'open' || away === 'closed' || away === 'local' ? away : usual.whenAway,
  };
}

/** The shortest address that says the same. */
export function writeSetUp({ tier, sentAs, ratePerSecond, cost, whenAway }: SetUp): SetUpSearch {
  return {
    ...(tier !== usual.tier && { tier }),
    ...(sentAs !== usual.sentAs && { as: sentAs }),
    ...(ratePerSecond !== usual.ratePerSecond && { rate: String(ratePerSecond) }),
    ...(cost !== usual.cost && { cost: String(cost) }),
    ...(whenAway !== usual.whenAway && { away: whenAway }),
  };
}

/** The address that a request is sent to: what is as usual is left out, but for the tier. */
export function requestPath({ tier, cost, whenAway }: Pick<SetUp, 'tier' | 'cost' | 'whenAway'>): string {
  return addressOf('spendPlaygroundTokens', undefined, {
    tier,
    policy: whenAway === usual.whenAway ? undefined : policyOf[whenAway],
    cost: cost === usual.cost ? undefined : cost,
  });
}

/**
 * The same from a shell. Each line prints the status, the task that answered, and what is left.
 * @param origin the shop's, as in `http://localhost:8080`
 * @param loggedInAs an e-mail, for the log-in that an account needs first
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
      // An apostrophe would end what the shell reads as one word.
      `  -d '${logIn.replaceAll("'", "'\\''")}' ${origin}${pathOf('logIn', {})}`,
    ],
    key: ['KEY=mt_…'],
  }[sentAs];
  return [
    ...before,
    '# Ten at once',
    // A number that takes no place would be one more address to curl; `{}` alone is nowhere in the line.
    `seq 10 | xargs -P 10 -I{} curl ${shows}${who} \\`,
    `  -X POST ${address}`,
    '# One, with every header',
    `curl -i${who} -X POST ${address}`,
  ].join('\n');
}
