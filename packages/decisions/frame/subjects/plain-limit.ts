import { makeLimit } from '@minitickets/api/rules/limit-table';

type Rate = { capacity: number; refillTokens?: number; refillIntervalMs: number };

/** Makes a limit with these numbers only: no bans, no shadow mode, no particular policy. */
export function plainLimit({ refillTokens = 1, ...rate }: Rate) {
  const plain = { suppression: null, shadow: false, onStoreFailure: 'closed' } as const;
  return makeLimit('playground', 'free', { refillTokens, ...rate, ...plain }, 0);
}
