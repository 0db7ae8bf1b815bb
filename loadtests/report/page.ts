import { answersChart, latencyChart, textInMarkup as text } from './charts.ts';
import type { Series } from './series.ts';
import { distributionText, numberText, type Report, type Summary, signOf } from './summary.ts';

/**
 * A run as one page: no script, no font, no picture from elsewhere, so that it can be kept, mailed and printed. k6 writes it with
 * the claims alone; the runner writes it again with the run over time and the audit.
 */
export function pageOf(run: Summary | Report): string {
  const holds = 'holds' in run ? run.holds : run.claims.every((claim) => claim.holds);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(run.script)}: ${holds ? 'holds' : 'does not hold'}</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="verdict ${holds ? 'holds' : 'broken'}">${holds ? 'Holds' : 'Does not hold'}</p>
<h1>${text(run.script)}${run.short ? ' <small>short form</small>' : ''}</h1>
<p>${'about' in run ? `${text(run.about)}. ` : ''}Against ${text(run.target)}, ${Math.round(run.seconds)} s, ended ${run.endedAt.slice(0, 16).replace('T', ' ')} UTC.</p>
${'machine' in run ? `<p>${text(run.machine)}</p>` : ''}
</header>
<h2>Claims</h2>
${claimsTable(run)}
${'audit' in run ? auditPart(run.audit) : ''}
${run.measurements.length > 0 ? `<h2>Measured, not judged</h2>${measurementsTable(run)}` : ''}
${'series' in run ? seriesParts(run.series) : ''}
</body>
</html>
`;
}

const claimsTable = ({ claims }: Summary) =>
  table(
    ['', 'claim', 'found', 'asked for', 'tested'],
    claims.map(({ name, says, found, threshold, tested, atLeast, ...claim }) => [
      `<b class="${claim.holds ? 'holds' : 'broken'}">${signOf({ ...claim, name, says, found, threshold, tested, atLeast })}</b>`,
      `<b>${text(name.replaceAll('_', ' '))}</b><br>${text(says)}`,
      text(found),
      `<code>${text(threshold)}</code>`,
      atLeast > 0 ? `${tested} ×` : '',
    ]),
  );

const measurementsTable = ({ measurements }: Summary) =>
  table(
    ['what', 'how much'],
    measurements.map(({ says, unit, values }) => [text(says), text(distributionText(values, unit))]),
  );

const auditPart = ({ holds, says }: Report['audit']) =>
  `<h2>Audit of the database</h2><p><b class="${holds ? 'holds' : 'broken'}">${holds ? '✔' : '✖'}</b> ${holds ? 'It balances.' : 'It does not balance.'}</p><pre>${text(says.join('\n'))}</pre>`;

function seriesParts(series: Series) {
  if (series.moments.length === 0) return '';
  const total = Object.values(series.tasks).reduce((sum, count) => sum + count, 0);
  const ms = (value: number | null) => (value === null ? '' : numberText(value));
  return `<h2>Answers a second</h2>${answersChart(series)}
<h2>How long they took, in ms</h2>${latencyChart(series)}
<h2>By call</h2>
${table(
  ['call', 'requests', 'outcomes', 'half, ms', '95 %', '99 %'],
  series.calls
    .toSorted((one, other) => other.count - one.count)
    .map(({ call, count, outcomes, p50, p95, p99 }) => [
      `<code>${text(call)}</code>`,
      String(count),
      text(
        Object.entries(outcomes)
          .map(([outcome, number]) => `${outcome.replaceAll('_', ' ')} ${number}`)
          .join(', '),
      ),
      ms(p50),
      ms(p95),
      ms(p99),
    ]),
)}
<h2>By task</h2>
${table(
  ['task', 'answers', 'share'],
  Object.entries(series.tasks).map(([task, count]) => [
    text(task),
    String(count),
    `${numberText((100 * count) / Math.max(1, total))} %`,
  ]),
)}`;
}

const table = (heads: string[], rows: string[][]) =>
  `<div class="wide"><table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

const style = `
:root { color-scheme: light dark; --text: #1c2330; --dim: #5c6675; --back: #fbfbf9; --rule: #dfe2e6;
  --ok: #2f8f5b; --rate_limited: #d99a1c; --suppressed: #8e4fc0; --sold_out: #3d77c2; --store_unavailable: #6b7280; --busy: #b08968; --other: #cf3f3f; }
@media (prefers-color-scheme: dark) { :root { --text: #e7e9ee; --dim: #9aa4b2; --back: #14171c; --rule: #2d333d;
  --ok: #52b884; --rate_limited: #e6b450; --suppressed: #b283dd; --sold_out: #6ea4e8; --store_unavailable: #8d96a5; --busy: #c9a27f; --other: #ef6b6b; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { margin: .2rem 0; font-size: 1.9rem; } h1 small { font-size: 1rem; font-weight: normal; color: var(--dim); }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; } header p { margin: .2rem 0; color: var(--dim); }
header .verdict { display: inline-block; padding: .15rem .8rem; border-radius: 1rem; font-weight: 600; color: var(--back); }
.verdict.holds { background: var(--ok); } .verdict.broken { background: var(--other); } b.holds { color: var(--ok); } b.broken { color: var(--other); }
.wide { overflow-x: auto; } table { width: 100%; border-collapse: collapse; } th, td { padding: .4rem .6rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 500; color: var(--dim); } pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--rule); }
svg { width: 100%; min-width: 40rem; height: auto; font: 11px system-ui, sans-serif; } svg text { fill: var(--dim); } .grid { stroke: var(--rule); }
svg .mark { stroke: var(--text); stroke-dasharray: 3 3; } svg text.mark { stroke: none; fill: var(--text); }
.line { fill: none; stroke-width: 1.8; } .line.p50 { stroke: var(--ok); } .line.p95 { stroke: var(--rate_limited); } .line.p99 { stroke: var(--other); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .2rem 0; color: var(--dim); } .legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
${['ok', 'rate_limited', 'suppressed', 'sold_out', 'store_unavailable', 'busy', 'other'].map((name) => `rect.${name} { fill: var(--${name}); } i.${name} { background: var(--${name}); }`).join(' ')}
i.p50 { background: var(--ok); } i.p95 { background: var(--rate_limited); } i.p99 { background: var(--other); }
`;
