import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** Changes the password. The answer sets the cookie of a new session. */
export const changePassword = (body: { currentPassword: string; newPassword: string }) =>
  call('changePassword', { body });

export const logOutEverywhere = () => call('logOutEverywhere', {});

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => call('listApiKeys', { signal }),
  select: ({ items }) => items,
});

/** Creates an API key. Only this response contains the key itself. */
export const createApiKey = (name: string) => call('createApiKey', { body: { name } });

export const revokeApiKey = (id: string) => call('revokeApiKey', { params: { id } });
