import type { ApiKey } from '@minitickets/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { Page } from './pages.ts';

export const logOutEverywhere = () => request<void>({ method: 'DELETE', path: '/v1/sessions' });

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => request<Page<ApiKey>>({ path: '/v1/api-keys', signal }),
  select: ({ items }) => items,
});

/** The answer alone has the key itself. */
export const makeApiKey = (name: string) =>
  request<ApiKey & { key: string }>({ method: 'POST', path: '/v1/api-keys', body: { name } });

export const revokeApiKey = (id: string) =>
  request<void>({ method: 'DELETE', path: `/v1/api-keys/${encodeURIComponent(id)}` });
