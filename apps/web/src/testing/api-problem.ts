import { type ProblemCode, problems } from '@minitickets/contract';
import { ApiProblem } from '../api/client.ts';

/** A refusal as the API sends it. */
export function refusal(
  code: ProblemCode,
  { at = Date.now(), retryAfterMs }: { at?: number; retryAfterMs?: number } = {},
) {
  const { status, title } = problems[code];
  return new ApiProblem({
    code,
    status,
    title,
    at,
    retryAt: retryAfterMs === undefined ? undefined : at + retryAfterMs,
  });
}
