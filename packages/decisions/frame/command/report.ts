import { styleText } from 'node:util';
import type { DifferenceReport } from '../difference.ts';
import { type ArmResult, type ExperimentResult, inWords, type MeasureResult } from '../results.ts';

type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

/** Formats a run for a terminal: the load, each arm's results, the verdict and the differences. */
export function printable(result: ExperimentResult, { colour }: { colour: boolean }): string {
  const paint: Paint = colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
  const lines = [
    `${paint('bold', result.experiment)}  ${result.claim}`,
    '',
    ...wrapped(result.load),
    ...predictionLines(result, paint),
    '',
    ...result.arms.map(({ name, what }) => `  ${name.padEnd(widthOfNames(result))}  ${what}`),
    '',
    ...tableOf(result.arms, paint),
    ...legend.map((line) => paint('dim', `  ${line}`)),
    '',
    ...verdictLines(result, paint),
    ...result.differences.flatMap(({ arm, parts }) => differenceLines(arm, parts, paint)),
    paint('dim', `  ${result.ranAt} · ${result.durationMs} ms · stores: ${result.stores} · machine: ${result.machine}`),
  ];
  return lines.join('\n');
}

/** Formats a run as one line of a list. */
export function printableInALine({ experiment, proved, arms, durationMs }: ExperimentResult) {
  const found = (arm: ArmResult) => `${arm.name} ${arm.measures.map((measure) => measure.found).join('/')}`;
  return `${proved ? '✔' : '✖'} ${experiment.padEnd(24)} ${arms.map(found).join(' · ')}  (${durationMs} ms)`;
}

const widthOfNames = ({ arms }: ExperimentResult) => Math.max(...arms.map(({ name }) => name.length));

function predictionLines({ prediction }: ExperimentResult, paint: Paint) {
  if (!prediction) return [];
  const { question, predicted, found } = prediction;
  const right = predicted === found ? paint('green', 'correct') : `the result is ${found}`;
  return ['', ...wrapped(question), `  You predicted ${predicted}; ${right}.`];
}

const legend = [
  'found (expected): the arm’s result, with the expected result in parentheses.',
  '✔ keeps the guarantee · ✖ breaks it: expected of a naive arm, and the reason not to ship it.',
];

function tableOf(arms: ArmResult[], paint: Paint): string[] {
  const measures = arms[0]?.measures ?? [];
  const rows = measures.map(({ what }, index) => [
    what,
    ...arms.map(({ name, measures: of }) => cellOf(name, of[index] as MeasureResult)),
  ]);
  const heads = ['found (expected)', ...arms.map(({ name }) => name)];
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (cells: string[]) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd();
  return [paint('bold', lineOf(heads)), ...rows.map(lineOf)];
}

/** Formats a result, its expectation, and whether it keeps the shipped guarantee. */
function cellOf(arm: string, { found, expected, asExpected, holds }: MeasureResult) {
  const stated = asExpected ? inWords(expected) : `expected ${inWords(expected)}`;
  const mark = arm === 'shipped' ? (holds && asExpected ? '✔' : '✖') : holds ? '' : '✖';
  return `${found} (${stated}) ${mark}`.trimEnd();
}

function verdictLines({ proved, reasons }: ExperimentResult, paint: Paint) {
  if (proved)
    return [`  ${paint('green', '✔ Proved: the naive design fails as stated and the shipped design holds.')}`, ''];
  return [`  ${paint('red', '✖ Not proved:')}`, ...reasons.map((reason) => `    ${reason}`), ''];
}

/** Unchanged lines shown around each change. */
const CONTEXT = 2;

function differenceLines(arm: string, parts: DifferenceReport[], paint: Paint): string[] {
  return parts.flatMap(({ title, lines }) => {
    const near = (index: number) =>
      lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same');
    const shown = lines.flatMap(({ kind, text }, index) => {
      if (kind === 'removed') return [paint('red', `  - ${text}`)];
      if (kind === 'added') return [paint('green', `  + ${text}`)];
      return near(index) ? [paint('dim', `    ${text}`)] : [];
    });
    const does = lines.every(({ kind }) => kind === 'added') ? 'adds' : 'differs in';
    return [`  ${paint('bold', arm)} ${does} ${title}:`, ...shown, ''];
  });
}

const WIDTH = 110;

function wrapped(text: string) {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}
