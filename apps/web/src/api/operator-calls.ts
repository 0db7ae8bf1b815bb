import type {
  BucketExplained,
  LimitActivity,
  LimitChange,
  LimitTier,
  LimitView,
  Tier,
  User,
} from '@minitickets/contract';
import { headers } from '@minitickets/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Page } from './calls.ts';
import { asProblem, noAnswer, request } from './client.ts';

/** One change of a limit, as the audit trail keeps it. */
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

export const limitChangesQuery = infiniteQueryOptions({
  queryKey: ['operations', 'changes'],
  queryFn: ({ pageParam, signal }) => {
    const query = new URLSearchParams({ limit: '10' });
    if (pageParam !== null) query.set('cursor', pageParam);
    return request<Page<RecordedLimitChange>>({ path: `/v1/admin/limits/changes?${query}`, signal });
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  maxPages: 20,
  select: ({ pages }) => pages.flatMap((page) => page.items),
});

/** @param minutes the running one included, up to 15 */
export const readActivity = (minutes: number, signal?: AbortSignal) =>
  request<LimitActivity>({ path: `/v1/admin/limits/activity?minutes=${minutes}&most=10`, signal });

export const activityQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['operations', 'activity', minutes],
    queryFn: ({ signal }) => readActivity(minutes, signal),
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

/** What one task said when it was asked whether it is ready. */
export interface TaskHealth {
  task: string;
  ready: boolean;
  detail: string;
  /** By this computer's clock, in ms. */
  at: number;
}

const forgottenAfterMs = 60_000;

/** Asks one task after the other, as the balancer gives turns, and keeps the last word of each. */
export const taskHealthQuery = (client: QueryClient) => {
  const queryKey = ['operations', 'tasks'];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<TaskHealth[]> => {
      const asked = await askHealth(signal);
      const others = (client.getQueryData<TaskHealth[]>(queryKey) ?? []).filter(
        ({ task, at }) => task !== asked.task && Date.now() - at < forgottenAfterMs,
      );
      return [...others, asked].sort((one, other) => one.task.localeCompare(other.task));
    },
    refetchInterval: 1000,
  });
};

async function askHealth(signal: AbortSignal): Promise<TaskHealth> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
  const answered = await fetch('/health/ready', { cache: 'no-store', signal: deadline, redirect: 'error' })
    .then(async (response) => ({ response, answer: (await response.json()) as { detail?: string } }))
    .catch((error: unknown) => {
      throw signal.aborted ? error : noAnswer(error, Date.now());
    });
  const task = answered.response.headers.get(headers.servedBy);
  if (task === null) throw asProblem(answered.answer, answered.response, Date.now());
  return { task, ready: answered.response.ok, detail: answered.answer.detail ?? '', at: Date.now() };
}
