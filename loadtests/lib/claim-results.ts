/* The result of a run. k6 writes it and the runner completes it, so this module depends on neither of them. */

export type SummaryNumber = {
  values: Record<string, number | undefined>;
  thresholds?: Record<string, { ok: boolean }>;
};

/**
 * What a script promises: a metric of that name, and its threshold. The tests of each claim are counted, because k6 lets an empty
 * metric pass its threshold, and a claim that nothing has tested is not proved.
 */
export type Claim = {
  /** The name of the metric. */
  name: string;
  description: string;
  threshold: string;
  /** The number of tests that it takes; 0 for k6's own metrics, which are absent if nothing happened. */
  minTests: number;
  unit: string;
  /** Not a promise but a limit that the script searches for: k6 ends the run when it is reached. */
  isLimit: boolean;
};

/** `holds`: tested often enough, and the threshold not crossed. A limit holds if it was tested, whether met or not. */
export type JudgedClaim = Claim & { holds: boolean; met: boolean; tested: number; found: string };
export type JudgedMeasurement = {
  name: string;
  description: string;
  unit: string;
  values: Record<string, number | undefined>;
};

export type Summary = {
  script: string;
  runId: string;
  short: boolean;
  target: string;
  /** ISO 8601. */
  endedAt: string;
  seconds: number;
  claims: JudgedClaim[];
  measurements: JudgedMeasurement[];
};

/** The summary, completed by the runner: the audit of the database, and the machine. */
export type Report = Summary & {
  about: string;
  machine: string;
  holds: boolean;
  /** Of k6. */
  exitCode: number;
  audit: { holds: boolean; description: string[] };
};

export function judgeClaim(
  claim: Claim,
  metric: SummaryNumber | undefined,
  evidence: SummaryNumber | undefined,
): JudgedClaim {
  const tested = evidence?.values.count ?? 0;
  const crossed = Object.values(metric?.thresholds ?? {}).some(({ ok }) => !ok);
  const holds = tested >= claim.minTests && (claim.isLimit || !crossed);
  return { ...claim, holds, met: claim.isLimit && crossed, tested, found: found(claim, metric, tested) };
}

/** Marks untested limits as holding if another limit was met, because k6 ends the run at the first one. */
export function excuseLimits(claims: JudgedClaim[]): JudgedClaim[] {
  const ended = claims.some(({ met }) => met);
  return claims.map((claim) => (claim.isLimit && ended ? { ...claim, holds: true } : claim));
}

function found({ threshold, minTests, unit }: Claim, metric: SummaryNumber | undefined, tested: number) {
  if (!metric || (minTests > 0 && tested === 0)) return minTests === 0 ? 'none' : 'never tested';
  const { values } = metric;
  const few = tested < minTests ? `, tested ${tested} times instead of ${minTests}` : '';
  if (values.passes !== undefined) return `${values.passes} of ${values.passes + (values.fails ?? 0)}${few}`;
  const aggregate = /^[a-z]+(\(\d+(\.\d+)?\))?/.exec(threshold)?.[0] ?? 'count';
  return `${numberText(values[aggregate] ?? 0)}${unit && ` ${unit}`}${few}`;
}

/** Formats a number with three significant digits, because measurements on a shared machine are not more precise. */
function numberText(value: number) {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(3);
}

/** Marks a claim that holds, one that does not, or a limit that was met. */
const signOf = ({ holds, met }: JudgedClaim) => (met ? '▲' : holds ? '✔' : '✖');

/** Formats the summary as plain text. */
export function textOf({ script, target, seconds, short, claims, measurements }: Summary) {
  const lines = [
    `${script}${short ? ' (short)' : ''} against ${target}, ${Math.round(seconds)} s`,
    '',
    ...claims.flatMap((claim) => [
      `  ${signOf(claim)} ${claim.name.replaceAll('_', ' ')}: ${claim.found} (${claim.isLimit ? 'limit: ' : ''}${claim.threshold})`,
      ...(claim.holds ? [] : [`      ${claim.description}`]),
    ]),
    ...limitLines(claims),
    ...(measurements.length > 0 ? ['', '  measured, without a claim:'] : []),
    ...measurements.map(({ description, unit, values }) => `  · ${description}: ${distributionText(values, unit)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function limitLines(claims: JudgedClaim[]) {
  const limits = claims.filter(({ isLimit }) => isLimit);
  if (limits.length === 0) return [];
  const met = limits.filter((limit) => limit.met).map(({ name }) => name.replaceAll('_', ' '));
  return ['', met.length > 0 ? `  first limit reached: ${met.join(', ')}` : '  no limit was reached'];
}

/** Formats `median 12, p95 40, max 55 ms (of 100)`, or a single number alone. */
function distributionText(values: JudgedMeasurement['values'], unit: string) {
  const { count = 0, med = 0, max = 0 } = values;
  const space = unit && ` ${unit}`;
  if (count === 1) return `${numberText(med)}${space}`;
  return `median ${numberText(med)}, p95 ${numberText(values['p(95)'] ?? 0)}, max ${numberText(max)}${space} (of ${count})`;
}
