import type { JudgedClaim } from '../lib/claim-results.ts';

/** k6's exit code when a threshold was crossed. */
const THRESHOLDS_CROSSED = 99;

type Found = {
  claims: readonly JudgedClaim[];
  /** Of k6. */
  exitCode: number;
  auditHolds: boolean;
};

/** A run holds if all claims hold, the audit is clean, and k6's exit code is explained by the claims. */
export function verdictOf({ claims, exitCode, auditHolds }: Found) {
  const claimsHold = claims.length > 0 && claims.every(({ holds }) => holds);
  const explained =
    exitCode === 0 || (exitCode === THRESHOLDS_CROSSED && claims.some(({ holds, met }) => !holds || met));
  return { holds: claimsHold && explained && auditHolds, explained };
}
