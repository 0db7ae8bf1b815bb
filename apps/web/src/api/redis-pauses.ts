import type { RedisPause } from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

/** Whether Redis is paused; an error without a lab. Fetched only when a visitor is about to pause it. */
export const redisPauseQuery = queryOptions({
  queryKey: ['lab', 'redis-pause'],
  queryFn: ({ signal }) => request<RedisPause>({ path: '/lab/redis-pauses/current', signal }),
  enabled: false,
  retry: false,
});

/** Pauses the stack's Redis for at most 10 seconds. It resumes by itself. */
export const pauseRedis = (seconds: number) =>
  request<RedisPause>({ method: 'POST', path: '/lab/redis-pauses', body: { seconds } });
