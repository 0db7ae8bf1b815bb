import type { Options } from 'k6/options';
import { type Claim, excuseLimits, judgeClaim, type Summary, type SummaryNumber, textOf } from './claim-results.ts';
import { evidenceOf, type Measurement, thresholdsOf } from './claims.ts';
import { baseUrl, runId, short } from './options.ts';

/** A script's claims, and its further measurements. */
export type Subject = { script: string; claims: readonly Claim[]; measurements?: readonly Measurement[] };
type SummaryData = { metrics: Record<string, SummaryNumber | undefined>; state: { testRunDurationMs: number } };

/** Returns k6's options for a script: scenarios, and claims as thresholds. */
export const optionsOf = (subject: Subject, scenarios: NonNullable<Options['scenarios']>): Options => ({
  scenarios,
  thresholds: thresholdsOf(subject.claims),
  tags: { script: subject.script },
  summaryTrendStats: ['count', 'min', 'avg', 'med', 'p(95)', 'p(99)', 'max'],
  systemTags: ['name', 'method', 'status', 'scenario', 'group', 'error_code'],
});

/**
 * Returns k6's `handleSummary`, which judges each claim and writes the summary as text and JSON to `REPORT_DIR`, or prints it
 * without one.
 */
export function summaryOf({ script, claims, measurements = [] }: Subject) {
  return ({ metrics, state }: SummaryData): Record<string, string> => {
    const summary: Summary = {
      script,
      runId,
      short,
      target: __ENV.TARGET || baseUrl,
      endedAt: new Date().toISOString(),
      seconds: state.testRunDurationMs / 1000,
      claims: excuseLimits(
        claims.map((claim) => judgeClaim(claim, metrics[claim.name], metrics[evidenceOf(claim.name)])),
      ),
      measurements: measurements.flatMap(({ name, ...about }) => {
        const values = metrics[name]?.values;
        return values && (values.count ?? 0) > 0 ? [{ name, ...about, values }] : [];
      }),
    };
    const text = textOf(summary);
    const folder = __ENV.REPORT_DIR;
    if (!folder) return { stdout: text };
    return {
      [`${folder}/summary.txt`]: text,
      [`${folder}/summary.json`]: `${JSON.stringify(summary, undefined, 2)}\n`,
    };
  };
}
