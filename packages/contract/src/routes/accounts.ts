import { apiKey, createdApiKey, newApiKey } from '../api-keys.ts';
import { pageOf } from '../fields.ts';
import type { Operation } from '../paths.ts';
import { credentials, passwordChange, registration, user } from '../users.ts';
import { byId, nothing, type Route } from './route.ts';

/** Users, their sessions and their API keys. */
export const accountRoutes = {
  register: {
    summary: 'Register, and start a session',
    access: 'everybody',
    limit: 'registration',
    problems: ['email_taken', 'busy'],
    schema: { body: registration, response: { 201: user } },
  },
  logIn: {
    summary: 'Log in',
    access: 'everybody',
    limit: 'login',
    problems: ['invalid_credentials', 'login_locked', 'busy'],
    schema: { body: credentials, response: { 201: user } },
  },
  readSession: {
    summary: 'Read who is logged in',
    access: 'user',
    limit: 'reads',
    problems: [],
    schema: { response: { 200: user } },
  },
  logOut: {
    summary: 'Log out',
    access: 'everybody',
    limit: 'account-changes',
    problems: [],
    schema: { response: { 204: nothing } },
  },
  logOutEverywhere: {
    summary: 'Log out everywhere: end all my sessions, revoke all my API keys',
    access: 'session',
    limit: 'account-changes',
    problems: [],
    schema: { response: { 204: nothing } },
  },
  changePassword: {
    summary: 'Change my password: ends all my other sessions and revokes my API keys',
    access: 'session',
    limit: 'password-change',
    problems: ['change_not_possible', 'busy'],
    schema: { body: passwordChange, response: { 204: nothing } },
  },
  createApiKey: {
    summary: 'Create an API key; this response alone shows it',
    access: 'session',
    limit: 'api-key-making',
    problems: ['change_not_possible'],
    schema: { body: newApiKey, response: { 201: createdApiKey } },
  },
  listApiKeys: {
    summary: 'List my API keys',
    access: 'session',
    limit: 'reads',
    problems: [],
    schema: { response: { 200: pageOf(apiKey) } },
  },
  revokeApiKey: {
    summary: 'Revoke an API key on every task at once',
    access: 'session',
    limit: 'account-changes',
    problems: ['not_found'],
    schema: { params: byId, response: { 204: nothing } },
  },
} as const satisfies Partial<Record<Operation, Route>>;
