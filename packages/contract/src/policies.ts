/** The names of the rate limit policies. Their numbers and reasons are the API's: `apps/api/src/rules/limits.ts`. */
export const policyNames = [
  'login',
  'login-account',
  'registration',
  'registered-emails',
  'password-change',
  'booking',
  'payment',
  'reads',
  'account-changes',
  'event-changes',
  'check-ins',
  'operator',
  'api-key',
  'api-key-making',
  'bad-api-key',
  'stray-requests',
  'playground',
  'playground-open',
  'playground-closed',
] as const;
export type PolicyName = (typeof policyNames)[number];
