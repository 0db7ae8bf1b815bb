import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, platform, release } from 'node:os';
import { join } from 'node:path';
import { type Report, type Summary, textOf } from '../lib/claim-results.ts';
import { serveFaults } from './faults.ts';
import { type K6, runK6 } from './k6.ts';
import { serveMetrics } from './metrics.ts';
import { scripts } from './scripts.ts';
import { mintSessions } from './sessions.ts';
import type { Target } from './target.ts';
import { verdictOf } from './verdict.ts';

export type Run = {
  script: string;
  short: boolean;
  options: readonly string[];
  target: Target;
  k6: K6;
  repository: string;
  reports: string;
  say: (line: string) => void;
};

/**
 * Runs one script, audits the database, and writes the report. Returns whether every claim and the audit hold.
 * @throws if the sessions could not be created or the script did not run
 */
export async function runScript({ script, short, options, target, k6, repository, reports, say }: Run) {
  const needs = scripts[script];
  if (!needs) throw new Error(`no script ${script}`);
  const begun = new Date();
  const runId = begun.getTime().toString(36);
  const folder = join(reports, `${script}-${begun.toISOString().slice(0, 19).replaceAll(':', '-')}`);
  mkdirSync(folder, { recursive: true });
  const addresses = needs.manyAddresses ? target.addresses : 1;
  const sessionsFile = join(folder, 'sessions.json');
  const sessions = await mintSessions(target, needs.customers[short ? 'short' : 'full'], sessionsFile);
  const metrics = target.readMetrics && (await serveMetrics(target.tasks, target.readMetrics));
  const faults = target.faults && needs.breaksStores ? await serveFaults(target.faults) : undefined;

  say(`\n${script}${short ? ' (short)' : ''}: ${needs.about}`);
  let code: number;
  try {
    code = await runK6(k6, {
      script: join(repository, 'loadtests', `${script}.ts`),
      env: {
        BASE_URL: target.url,
        TARGET_I_OWN: target.url,
        TARGET: target.description,
        REPORT_DIR: folder,
        SESSIONS_FILE: sessionsFile,
        RUN_ID: runId,
        SHORT: short ? '1' : '',
        TASKS: String(target.tasks),
        ADDRESSES: String(addresses),
        FAULTS_URL: faults?.url ?? '',
        METRICS_URL: metrics?.url ?? '',
        METRICS_TOKEN: process.env.METRICS_TOKEN ?? '',
        // k6's own dashboard; port -1 exports it without serving it.
        K6_WEB_DASHBOARD: 'true',
        K6_WEB_DASHBOARD_PORT: '-1',
        K6_WEB_DASHBOARD_PERIOD: '1s',
        K6_WEB_DASHBOARD_EXPORT: join(folder, 'dashboard.html'),
      },
      options: [...(addresses > 1 ? ['--local-ips', unusedAddresses()] : []), ...options],
      logFile: join(folder, 'k6.log'),
      onProgress: (line) => say(`  ${line}`),
    });
  } finally {
    faults?.close();
    metrics?.close();
    await sessions.end();
  }

  const summary = readSummary(folder, code);
  const audit = await runAudit(target);
  const { holds, explained } = verdictOf({ claims: summary.claims, exitCode: code, auditHolds: audit.holds });
  const report: Report = {
    ...summary,
    target: target.description,
    about: needs.about,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${platform()} ${release()}, Node ${process.version}, ${k6.description}`,
    holds,
    exitCode: code,
    audit,
  };
  const text = `${textOf(report)}${auditText(audit)}`;
  writeFileSync(join(folder, 'summary.txt'), text);
  writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  say(text);
  if (!explained) say(`  k6 exited with code ${code}, which no threshold explains: ${join(folder, 'k6.log')}`);
  return { holds, folder };
}

/** @throws with the end of k6's log if there is no summary, because the script did not start */
function readSummary(folder: string, code: number): Summary {
  try {
    return JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Summary;
  } catch {
    const log = readFileSync(join(folder, 'k6.log'), 'utf8').trim().split('\n').slice(-6).join('\n');
    throw new Error(`k6 exited with code ${code} and without a summary:\n${log}`);
  }
}

/** Audits the database, because responses can be right while the data is wrong. */
async function runAudit(target: Target): Promise<Report['audit']> {
  const { code, stdout, stderr } = await target.runNode(['apps/api/dist/audit/audit.js']);
  return { holds: code === 0, description: `${stdout}\n${stderr}`.trim().split('\n').slice(-40) };
}

function auditText({ holds, description }: Report['audit']) {
  const last = description.at(-1) ?? '';
  return holds
    ? `  ✔ the audit of the database: ${last}\n`
    : `  ✖ the audit of the database:\n      ${description.join('\n      ')}\n`;
}

/**
 * Returns loopback addresses at random, so that empty buckets and bans of earlier runs do not affect this one.
 */
function unusedAddresses() {
  const block = `127.${10 + Math.floor(Math.random() * 240)}.${8 * Math.floor(Math.random() * 31)}`;
  const [a, b, c] = block.split('.').map(Number);
  return `${a}.${b}.${c}.1-${a}.${b}.${(c ?? 0) + 7}.250`;
}
