import { z } from 'zod';
import { id } from '../fields.ts';
import type { PolicyName } from '../policies.ts';
import type { ProblemCode } from '../problems.ts';

/**
 * Who may call an operation. `user`: whoever proves who they are, by session or API key. `session`: by session only. A role: users
 * who have it now; organisers by session or API key, admins by session only, unless organisers may call it too.
 */
export type Access = 'everybody' | 'user' | 'session' | 'organiser' | 'organiser or admin' | 'admin';

/** The parts of a parsed query that make one call dearer than another. */
type CostlyQuery = { limit?: number; search?: string; cost?: number };

/** Everything that the API, the pages and the documentation need to know about an operation besides its path. */
export type Route = {
  summary: string;
  description?: string;
  access: Access;
  /**
   * The rate limit policy whose tokens a call spends. `chosenFrom`: the call itself names one of these. `unlimited`: no policy, for
   * the stated reason.
   */
  limit: PolicyName | { readonly chosenFrom: readonly PolicyName[] } | { readonly unlimited: string };
  /** How many tokens a call spends, 1 by default; from its query if calls differ. It must not exceed the smallest capacity. */
  cost?: number | ((query: CostlyQuery) => number);
  /** The problems of this operation, besides those that every operation can answer with. */
  problems: readonly ProblemCode[];
  schema: {
    params?: z.ZodType;
    querystring?: z.ZodType;
    headers?: z.ZodType;
    body?: z.ZodType;
    /** The answer of success, by its status. */
    response: Readonly<Record<number, z.ZodType>>;
  };
};

/** The parameters and the response that several operations share. */
export const byId = z.object({ id });
export const byEvent = z.object({ event: z.string().min(1).max(80) });
export const nothing = z.null();

/** Charges one token per `rowsPerToken` rows of the requested page size, whether or not that many exist. */
export const perRows = (limit: number, rowsPerToken: number) => Math.ceil(limit / rowsPerToken);
/** Four tokens more for a search, which may read many rows to find few. */
export const perSearch = (search: string | undefined) => (search === undefined ? 0 : 4);
