import type { Tier } from '@minitickets/contract';

/** Whose bucket the requests spend from: the address they come from, the account that is logged in, or an API key's owner. */
export type SentAs = 'address' | 'account' | 'key';

/** What a link to the limiter's page reproduces. An API key is never part of it. */
export interface SetUp {
  tier: Tier;
  sentAs: SentAs;
  ratePerSecond: number;
}

/** The rates that a stream may have. */
export const rates = [1, 2, 5, 10, 20, 60] as const;

/** What the page's address may carry. */
export type SetUpSearch = { tier?: Tier; as?: SentAs; rate?: string };

const usual: SetUp = { tier: 'free', sentAs: 'address', ratePerSecond: 5 };

/** Reads the set-up from an address that anybody may have written: what it cannot be is as usual. */
export function readSetUp(search: Readonly<Record<string, unknown>>): SetUp {
  const { tier, as, rate } = search;
  const ratePerSecond = rates.find((one) => String(one) === rate);
  return {
    tier: tier === 'pro' || tier === 'free' ? tier : usual.tier,
    sentAs: as === 'account' || as === 'key' || as === 'address' ? as : usual.sentAs,
    ratePerSecond: ratePerSecond ?? usual.ratePerSecond,
  };
}

/** The shortest address that says the same. */
export function writeSetUp({ tier, sentAs, ratePerSecond }: SetUp): SetUpSearch {
  return {
    ...(tier !== usual.tier && { tier }),
    ...(sentAs !== usual.sentAs && { as: sentAs }),
    ...(ratePerSecond !== usual.ratePerSecond && { rate: String(ratePerSecond) }),
  };
}

/**
 * The same from a shell. Each line prints the status, the task that answered, and what is left.
 * @param origin the shop's, as in `http://localhost:8080`
 * @param loggedInAs an e-mail, for the log-in that an account needs first
 */
export function curlCommands({ tier, sentAs }: SetUp, origin: string, loggedInAs: string | undefined): string {
  const shows = "-s -o /dev/null -w '%{http_code}  %header{x-served-by}  %header{x-ratelimit-remaining} left\\n'";
  const who = { address: '', account: ' -b cookies.txt', key: ' -H "Authorization: Bearer $KEY"' }[sentAs];
  const before = {
    address: [],
    account: [
      `curl -s -c cookies.txt -H 'Content-Type: application/json' \\`,
      `  -d '{"email":"${loggedInAs ?? 'customer@minitickets.example'}","password":"…"}' ${origin}/v1/sessions`,
    ],
    key: ['KEY=mt_…'],
  }[sentAs];
  return [
    ...before,
    '# Ten at once',
    `seq 10 | xargs -P 10 -I_ curl ${shows}${who} \\`,
    `  -X POST '${origin}/v1/playground/requests?tier=${tier}'`,
    '# One, with every header',
    `curl -i${who} -X POST '${origin}/v1/playground/requests?tier=${tier}'`,
  ].join('\n');
}
