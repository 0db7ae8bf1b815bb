import type { RedisPause } from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

/** Whether Redis is paused; an error where there is no lab to pause it. Asked for by who means to pause it: most never do. */
export const redisPauseQuery = queryOptions({
  queryKey: ['lab', 'redis-pause'],
  queryFn: ({ signal }) => request<RedisPause>({ path: '/lab/redis-pauses/current', signal }),
  enabled: false,
  retry: false,
});

/** Has the stack's Redis answer nobody for so many seconds, 10 at most. It ends by itself. */
export const pauseRedis = (seconds: number) =>
  request<RedisPause>({ method: 'POST', path: '/lab/redis-pauses', body: { seconds } });
