import type { ArmResult, Expectation, MeasureResult } from '@minitickets/decisions/frame/results';
import { inWords } from '@minitickets/decisions/frame/results';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Icon } from '../interface/icon.tsx';
import type { ShownArm } from './content.ts';
import { changedLines, Differences } from './difference.tsx';
import type { ArmSummary } from './run-model.ts';

export const isShipped = ({ name }: { name: string }): boolean => name === 'shipped';

/** Words of arm names with their own spelling. */
const properNames: Record<string, string> = { redis: 'Redis', postgresql: 'PostgreSQL', tasks: 'task’s' };

/** Returns an arm's name as a title: `Map per task`, `Counter in Redis`. */
export function armTitle(name: string): string {
  if (name === 'shipped') return 'The shipped design';
  const words = name
    .split('-')
    .map((word) => properNames[word] ?? word)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One arm: its description, its progress, its measures, and its diff from the shipped code. */
export function ArmPanel({
  arm,
  right,
  summary,
  result,
  children,
}: {
  arm: ShownArm;
  /** The right value of each measure, by name: what the shipped arm must reach. */
  right: Record<string, Expectation>;
  /** Progress, while the run is drawn. */
  summary: ArmSummary | undefined;
  /** The result, once it is known. */
  result: ArmResult | undefined;
  /** The drawing of the run. */
  children?: ReactNode;
}) {
  const state = result ? 'ended' : summary?.state;
  return (
    <li
      className={clsx(
        'flex min-w-0 flex-col gap-3 rounded-card bg-paper p-4 inset-ring',
        isShipped(arm) ? 'inset-ring-2 inset-ring-accent' : 'inset-ring-line',
      )}
    >
      <div className="space-y-1">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 className="font-bold">{armTitle(arm.name)}</h3>
          {state && <StateBadge state={state} result={result} shipped={isShipped(arm)} />}
        </div>
        <p className="text-sm text-muted first-letter:uppercase">{arm.what}</p>
      </div>
      {summary && <Counts summary={summary} />}
      {children}
      {result && <Measures measures={result.measures} right={right} shipped={isShipped(arm)} />}
      {arm.differences.length > 0 && (
        <details className="mt-auto">
          <summary className="font-medium">Diff: {linesInWords(changedLines(arm.differences))}</summary>
          <div className="mt-3">
            <Differences parts={arm.differences} />
          </div>
        </details>
      )}
    </li>
  );
}

const linesInWords = (count: number) => (count === 1 ? '1 line' : `${count} lines`);

function StateBadge({
  state,
  result,
  shipped,
}: {
  state: ArmSummary['state'];
  result: ArmResult | undefined;
  shipped: boolean;
}) {
  const [words, look] = badgeOf(state, result, shipped);
  return <span className={clsx('rounded-full px-2.5 py-0.5 text-sm font-semibold', look)}>{words}</span>;
}

function badgeOf(
  state: ArmSummary['state'],
  result: ArmResult | undefined,
  shipped: boolean,
): [words: string, look: string] {
  if (state === 'waiting') return ['waiting', 'bg-sunken text-muted'];
  if (!result) return ['running', 'bg-accent-soft text-accent'];
  if (!result.proved) return ['not as expected', 'bg-warn-soft text-warn'];
  return shipped ? ['holds', 'bg-good-soft text-good'] : ['fails', 'bg-bad-soft text-bad'];
}

function Counts({ summary: { counts } }: { summary: ArmSummary }) {
  const { served, refused, failed } = counts;
  return (
    <p className="text-sm tabular-nums">
      <span className="font-semibold text-good">{served} served</span>
      {' · '}
      <span className="font-semibold text-warn">{refused} refused</span>
      {failed > 0 && (
        <>
          {' · '}
          <span className="font-semibold text-bad">{failed} failed</span>
        </>
      )}
    </p>
  );
}

/** Shows each measured value beside the right value and, for a naive arm, the value expected of it. */
function Measures({
  measures,
  right,
  shipped,
}: {
  measures: readonly MeasureResult[];
  right: Record<string, Expectation>;
  shipped: boolean;
}) {
  return (
    <table className="w-full text-left text-sm">
      <thead className="text-muted">
        <tr>
          <th className="py-1 pr-2 font-semibold">Measure</th>
          <th className="py-1 pr-2 text-right font-semibold whitespace-nowrap">Correct</th>
          {!shipped && <th className="py-1 pr-2 text-right font-semibold whitespace-nowrap">Expected</th>}
          <th className="py-1 text-right font-semibold whitespace-nowrap">Measured</th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {measures.map(({ measure, what, expected, found, asExpected, holds }) => {
          const isRight = holds && (asExpected || !shipped);
          const verdict = isRight ? 'correct' : asExpected ? 'wrong, as expected' : 'wrong';
          return (
            <tr key={measure} className="border-t border-line align-top">
              <th scope="row" className="py-1.5 pr-2 font-normal wrap-anywhere">
                {what}
              </th>
              <td className="py-1.5 pr-2 text-right">{inWords(right[measure] ?? expected)}</td>
              {!shipped && <td className="py-1.5 pr-2 text-right">{inWords(expected)}</td>}
              <td className={clsx('py-1.5 text-right font-bold whitespace-nowrap', isRight ? 'text-good' : 'text-bad')}>
                <span className="inline-flex items-center gap-1">
                  {shortNumber(found)}
                  <Icon name={isRight ? 'check' : 'cross'} className="size-4" />
                  <span className="sr-only">{verdict}</span>
                </span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Formats a number with at most two decimals, or a dash if there is none. */
export const shortNumber = (value: number | null): string =>
  value === null || Number.isNaN(value) ? '–' : String(Math.round(value * 100) / 100);
