import type { JudgedClaim } from '../lib/claim-results.ts';

/** k6's exit code when a threshold was crossed. */
const THRESHOLDS_CROSSED = 99;

type Found = {
  claims: readonly JudgedClaim[];
  /** k6's. */
  exitCode: number;
  auditHolds: boolean;
};

/** A run holds if all its claims do, k6 ended as that lets expect, and the stores say the same. */
export function verdictOf({ claims, exitCode, auditHolds }: Found) {
  const claimsHold = claims.length > 0 && claims.every(({ holds }) => holds);
  const explained =
    exitCode === 0 || (exitCode === THRESHOLDS_CROSSED && claims.some(({ holds, met }) => !holds || met));
  return { holds: claimsHold && explained && auditHolds, explained };
}
