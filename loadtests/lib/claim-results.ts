/* The result of a run. k6 writes it, the runner reads and completes it, so nothing here depends on either of them. */

export type SummaryNumber = {
  values: Record<string, number | undefined>;
  thresholds?: Record<string, { ok: boolean }>;
};

type ClaimText = { name: string; says: string; threshold: string; atLeast: number; unit: string; isLimit: boolean };
/** `holds`: tested often enough, and its threshold not crossed. A limit holds whether it was met or not, if it was tested. */
export type JudgedClaim = ClaimText & { holds: boolean; met: boolean; tested: number; found: string };
export type JudgedMeasurement = {
  name: string;
  says: string;
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

/** A summary with what the runner adds: the audit of the database, and where it ran. */
export type Report = Summary & {
  about: string;
  machine: string;
  holds: boolean;
  /** k6's. */
  exitCode: number;
  audit: { holds: boolean; says: string[] };
};

export function judgeClaim(
  claim: ClaimText,
  metric: SummaryNumber | undefined,
  evidence: SummaryNumber | undefined,
): JudgedClaim {
  const tested = evidence?.values.count ?? 0;
  const crossed = Object.values(metric?.thresholds ?? {}).some(({ ok }) => !ok);
  const holds = tested >= claim.atLeast && (claim.isLimit || !crossed);
  return { ...claim, holds, met: claim.isLimit && crossed, tested, found: found(claim, metric, tested) };
}

/** Counts the limits that were not met as holding once one was met: k6 ends the run there, before it tests the others. */
export function excuseLimits(claims: JudgedClaim[]): JudgedClaim[] {
  const ended = claims.some(({ met }) => met);
  return claims.map((claim) => (claim.isLimit && ended ? { ...claim, holds: true } : claim));
}

function found({ threshold, atLeast, unit }: ClaimText, metric: SummaryNumber | undefined, tested: number) {
  if (!metric || (atLeast > 0 && tested === 0)) return atLeast === 0 ? 'none' : 'never tested';
  const { values } = metric;
  const few = tested < atLeast ? `, tested ${tested} times and not ${atLeast}` : '';
  if (values.passes !== undefined) return `${values.passes} of ${values.passes + (values.fails ?? 0)}${few}`;
  const aggregate = /^[a-z]+(\(\d+(\.\d+)?\))?/.exec(threshold)?.[0] ?? 'count';
  return `${numberText(values[aggregate] ?? 0)}${unit && ` ${unit}`}${few}`;
}

/** Rounded to three significant digits: a shared machine's measurements are not more precise. */
export function numberText(value: number) {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toPrecision(3);
}

/** A claim that holds, one that does not, and a limit that was met. */
export const signOf = ({ holds, met }: JudgedClaim) => (met ? '▲' : holds ? '✔' : '✖');

/** The summary as plain text, for terminals and log files. */
export function textOf({ script, target, seconds, short, claims, measurements }: Summary) {
  const lines = [
    `${script}${short ? ' (short)' : ''} against ${target}, ${Math.round(seconds)} s`,
    '',
    ...claims.flatMap((claim) => [
      `  ${signOf(claim)} ${claim.name.replaceAll('_', ' ')}: ${claim.found} (${claim.isLimit ? 'limit: ' : ''}${claim.threshold})`,
      ...(claim.holds ? [] : [`      ${claim.says}`]),
    ]),
    ...limitLines(claims),
    ...(measurements.length > 0 ? ['', '  measured, not judged:'] : []),
    ...measurements.map(({ says, unit, values }) => `  · ${says}: ${distributionText(values, unit)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function limitLines(claims: JudgedClaim[]) {
  const limits = claims.filter(({ isLimit }) => isLimit);
  if (limits.length === 0) return [];
  const met = limits.filter((limit) => limit.met).map(({ name }) => name.replaceAll('_', ' '));
  return ['', met.length > 0 ? `  the first limit met: ${met.join(', and with it ')}` : '  no limit was met'];
}

/** `median 12, 95 % 40, most 55 ms (of 100)`, or the number alone if there is one. */
export function distributionText(values: JudgedMeasurement['values'], unit: string) {
  const { count = 0, med = 0, max = 0 } = values;
  const space = unit && ` ${unit}`;
  if (count === 1) return `${numberText(med)}${space}`;
  return `median ${numberText(med)}, 95 % ${numberText(values['p(95)'] ?? 0)}, most ${numberText(max)}${space} (of ${count})`;
}
