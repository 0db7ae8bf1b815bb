import { z } from 'zod';
import { apiKey, apiKeyChange } from '../api-keys.ts';
import { id, pageOf } from '../fields.ts';
import { auditResult, eventInventory, eventInventoryQuery, taskReport, userSearch } from '../operations.ts';
import type { Operation } from '../paths.ts';
import { tier, user } from '../users.ts';
import { byId, nothing, perRows, type Route } from './route.ts';

/** What an operator reads and changes of accounts, tasks and inventory. */
export const operatorRoutes = {
  findUser: {
    summary: 'Find the account of an e-mail address, in any of its spellings; the list is empty if there is none',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { querystring: userSearch, response: { 200: pageOf(user) } },
  },
  changeUser: {
    summary: 'Change a user’s tier, in force with their next request',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId, body: z.strictObject({ tier }), response: { 200: user } },
  },
  endUserSessions: {
    summary: 'End all sessions of a user and revoke all of their API keys, even of one whose account is gone',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { params: byId, response: { 204: nothing } },
  },
  listUserApiKeys: {
    summary: 'List the API keys of a user',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { params: byId, response: { 200: pageOf(apiKey) } },
  },
  changeUserApiKey: {
    summary: 'Give an API key a tier of its own, or null for its user’s budget; in force with its next request',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId.extend({ key: id }), body: apiKeyChange, response: { 200: apiKey } },
  },
  revokeUserApiKey: {
    summary: 'Revoke an API key of a user on every task at once',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId.extend({ key: id }), response: { 204: nothing } },
  },
  unlockLogin: {
    summary: 'Forget a user’s failed log-ins, so that devices which never logged in before are admitted again',
    access: 'admin',
    limit: 'operator',
    problems: ['not_found'],
    schema: { params: byId, response: { 204: nothing } },
  },
  listTasks: {
    summary: 'List the tasks that report, and the state of each',
    access: 'admin',
    limit: 'operator',
    problems: [],
    schema: { response: { 200: pageOf(taskReport) } },
  },
  listInventory: {
    summary:
      'List the inventory of upcoming events and of the last day’s, drafts and cancelled ones too; soonest first',
    access: 'admin',
    limit: 'operator',
    cost: ({ limit = 20 }) => perRows(limit, 10),
    problems: [],
    schema: { querystring: eventInventoryQuery, response: { 200: pageOf(eventInventory) } },
  },
  runAudit: {
    summary: 'Check every conservation law against one snapshot of the database; one audit at a time',
    access: 'admin',
    limit: 'operator',
    cost: 20,
    problems: ['audit_in_progress'],
    schema: { response: { 200: auditResult } },
  },
} as const satisfies Partial<Record<Operation, Route>>;
