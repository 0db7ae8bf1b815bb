import type {
  AuditResult,
  BucketExplained,
  EventInventory,
  LimitActivity,
  LimitActivitySeries,
  LimitChange,
  LimitTier,
  LimitView,
  TaskReport,
  Tier,
  User,
} from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { type Page, pageOf, pagesOf } from './pages.ts';

/** One change of a limit, as it is kept for good. */
export interface RecordedLimitChange {
  id: number;
  policy: string;
  tier: string;
  changedBy: string;
  changedAt: string;
  before: LimitChange;
  after: LimitChange;
}

export const limitsQuery = queryOptions({
  queryKey: ['operations', 'limits'],
  queryFn: ({ signal }) => request<Page<LimitView>>({ path: '/v1/admin/limits', signal }),
  refetchInterval: 5000,
  select: ({ items }) => items,
});

export const limitChangesQuery = pagesOf({
  queryKey: ['operations', 'changes'],
  read: (cursor, signal) =>
    request<Page<RecordedLimitChange>>({ path: pageOf('/v1/admin/limits/changes', { limit: '10' }, cursor), signal }),
  mostPages: 20,
});

/** @param minutes the running one included, up to 15 */
export const activityQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['operations', 'activity', minutes],
    queryFn: ({ signal }) =>
      request<LimitActivity>({ path: `/v1/admin/limits/activity?minutes=${minutes}&most=10`, signal }),
    refetchInterval: 2000,
  });

/** @param minutes up to 15 */
export const activitySeriesQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['operations', 'series', minutes],
    queryFn: ({ signal }) =>
      request<LimitActivitySeries>({ path: `/v1/admin/limits/activity/series?minutes=${minutes}`, signal }),
    refetchInterval: 2000,
  });

/** @param bucketOrIdentity the name of a bucket, or `ip:…`, `user:…`, `key:…`, `account:…` */
export const bucketQuery = (policy: string, bucketOrIdentity: string) =>
  queryOptions({
    queryKey: ['operations', 'bucket', policy, bucketOrIdentity],
    queryFn: ({ signal }) =>
      request<BucketExplained>({
        path: `/v1/admin/limits/${encodeURIComponent(policy)}/buckets/${encodeURIComponent(bucketOrIdentity)}`,
        signal,
      }),
    refetchInterval: 1000,
    staleTime: 0,
  });

interface LimitName {
  policy: string;
  tier: LimitTier;
}

const limitPath = ({ policy, tier }: LimitName) => `/v1/admin/limits/${encodeURIComponent(policy)}/${tier}`;

export const changeLimit = ({ change, ...name }: LimitName & { change: LimitChange }) =>
  request<LimitView>({ method: 'PUT', path: limitPath(name), body: change });

/** Puts the shipped limit back in force. */
export const shipLimit = (name: LimitName) => request<LimitView>({ method: 'DELETE', path: limitPath(name) });

export const liftSuppression = (bucket: string) =>
  request<void>({ method: 'DELETE', path: `/v1/admin/suppressions/${encodeURIComponent(bucket)}` });

export const changeTier = ({ id, tier }: { id: string; tier: Tier }) =>
  request<User>({ method: 'PATCH', path: `/v1/admin/users/${encodeURIComponent(id)}`, body: { tier } });

/** The account of an e-mail, or undefined if there is none. */
export const findUser = async (email: string) =>
  (await request<Page<User>>({ path: `/v1/admin/users?email=${encodeURIComponent(email)}` })).items[0];

export const tasksQuery = queryOptions({
  queryKey: ['operations', 'tasks'],
  queryFn: ({ signal }) => request<Page<TaskReport>>({ path: '/v1/admin/tasks', signal }),
  refetchInterval: 1000,
  select: ({ items }) => items,
});

export const placesQuery = pagesOf({
  queryKey: ['operations', 'places'],
  read: (cursor, signal) =>
    request<Page<EventInventory>>({ path: pageOf('/v1/admin/events', { limit: '10' }, cursor), signal }),
  mostPages: 10,
  refetchInterval: 2000,
});

/** Holds the laws of conservation against the database. */
export const runAudit = () => request<AuditResult>({ method: 'POST', path: '/v1/admin/audits' });
