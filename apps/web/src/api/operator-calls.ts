import type { Tier } from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { type BodyOf, call } from './call.ts';
import { pagesOf } from './pages.ts';

export const limitsQuery = queryOptions({
  queryKey: ['operations', 'limits'],
  queryFn: ({ signal }) => call('listLimits', { signal }),
  refetchInterval: 5000,
  select: ({ items }) => items,
});

export const limitChangesQuery = pagesOf({
  queryKey: ['operations', 'changes'],
  read: (cursor, signal) => call('listLimitChanges', { query: { limit: 10, cursor }, signal }),
  maxPages: 20,
});

/** @param minutes up to 15, including the current one */
export const activityQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['operations', 'activity', minutes],
    queryFn: ({ signal }) => call('readLimitActivity', { query: { minutes, most: 10 }, signal }),
    refetchInterval: 2000,
  });

/** @param minutes up to 15 */
export const activitySeriesQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['operations', 'series', minutes],
    queryFn: ({ signal }) => call('readLimitActivitySeries', { query: { minutes }, signal }),
    refetchInterval: 2000,
  });

/** @param bucket the name of a bucket, or the identity it belongs to: `ip:…`, `user:…`, `key:…`, `account:…` */
export const bucketQuery = (policy: string, bucket: string) =>
  queryOptions({
    queryKey: ['operations', 'bucket', policy, bucket],
    queryFn: ({ signal }) => call('explainBucket', { params: { policy, bucket }, signal }),
    refetchInterval: 1000,
    staleTime: 0,
  });

type LimitName = { policy: string; tier: string };

export const changeLimit = ({ change, ...params }: LimitName & { change: BodyOf<'changeLimit'> }) =>
  call('changeLimit', { params, body: change });

/** Resets a limit to its default. */
export const resetLimit = (params: LimitName) => call('resetLimit', { params });

export const liftSuppression = (bucket: string) => call('liftSuppression', { params: { bucket } });

export const tiersQuery = queryOptions({
  queryKey: ['operations', 'tiers'],
  queryFn: ({ signal }) => call('listTiers', { signal }),
  select: ({ items }) => items,
});

/** Adds a tier, or bases it on another. */
export const putTier = ({ tier, ...body }: { tier: string } & BodyOf<'putTier'>) =>
  call('putTier', { params: { tier }, body });

export const removeTier = (tier: string) => call('removeTier', { params: { tier } });

export const identityLimitsQuery = queryOptions({
  queryKey: ['operations', 'identity-limits'],
  queryFn: ({ signal }) => call('listIdentityLimits', { signal }),
  refetchInterval: 5000,
  select: ({ items }) => items,
});

type IdentityLimitName = { policy: string; identity: string };

export const setIdentityLimit = ({ change, ...params }: IdentityLimitName & { change: BodyOf<'setIdentityLimit'> }) =>
  call('setIdentityLimit', { params, body: change });

/** Returns an identity to the limit of its tier. */
export const removeIdentityLimit = (params: IdentityLimitName) => call('removeIdentityLimit', { params });

/** @param tier null: the key spends its user's budget */
export const changeKeyTier = ({ id, key, tier }: { id: string; key: string; tier: Tier | null }) =>
  call('changeUserApiKey', { params: { id, key }, body: { tier } });

export const changeTier = ({ id, tier }: { id: string; tier: Tier }) =>
  call('changeUser', { params: { id }, body: { tier } });

/** Forgets a user's failed log-ins. */
export const unlockLogin = (id: string) => call('unlockLogin', { params: { id } });

export const userApiKeysQuery = (userId: string) =>
  queryOptions({
    queryKey: ['operations', 'api-keys', userId],
    queryFn: ({ signal }) => call('listUserApiKeys', { params: { id: userId }, signal }),
    staleTime: 0,
    select: ({ items }) => items,
  });

/** Revokes an API key of another user. */
export const revokeUserApiKey = (params: { id: string; key: string }) => call('revokeUserApiKey', { params });

/** Returns the account of an e-mail address, or undefined if there is none. */
export const findUser = async (email: string) => (await call('findUser', { query: { email } })).items[0];

export const tasksQuery = queryOptions({
  queryKey: ['operations', 'tasks'],
  queryFn: ({ signal }) => call('listTasks', { signal }),
  refetchInterval: 1000,
  select: ({ items }) => items,
});

export const inventoryQuery = pagesOf({
  queryKey: ['operations', 'inventory'],
  read: (cursor, signal) => call('listInventory', { query: { limit: 10, cursor }, signal }),
  maxPages: 10,
  refetchInterval: 2000,
});

/** Runs the conservation check against the database. */
export const runAudit = () => call('runAudit', {});
