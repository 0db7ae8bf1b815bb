import type { DifferenceReport, DiffLine } from '@minitickets/decisions/frame/difference';
import { clsx } from 'clsx';
import { codeBoxClass } from './code-lines.tsx';

/** Unchanged lines shown around each change. */
const context = 2;

const looks: Record<DiffLine['kind'], { row: string; mark: string; words: string }> = {
  same: { row: 'text-muted', mark: ' ', words: '' },
  removed: { row: 'bg-bad-soft text-bad', mark: '−', words: 'Removed: ' },
  added: { row: 'bg-good-soft text-good', mark: '+', words: 'Added: ' },
};

/** Shows how an arm differs from the shipped code, as a line diff. */
export function Differences({ parts }: { parts: readonly DifferenceReport[] }) {
  return (
    <div className="space-y-3">
      {parts.map((part) => (
        <figure key={part.title} className="space-y-1.5">
          <figcaption className="text-sm text-muted wrap-anywhere">{part.title}</figcaption>
          <pre className={codeBoxClass}>
            <code>
              {nearChanges(part.lines).map(({ kind, text, index }) => (
                <span key={index} className={clsx('flex px-3', looks[kind].row)}>
                  <span aria-hidden="true" className="w-5 shrink-0 select-none">
                    {looks[kind].mark}
                  </span>
                  <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">
                    <span className="sr-only">{looks[kind].words}</span>
                    {text}
                    {'\n'}
                  </span>
                </span>
              ))}
            </code>
          </pre>
        </figure>
      ))}
    </div>
  );
}

export const changedLines = (parts: readonly DifferenceReport[]): number =>
  parts.reduce((sum, part) => sum + part.changedLines, 0);

function nearChanges(lines: readonly DiffLine[]) {
  return lines
    .map((line, index) => ({ ...line, index }))
    .filter(({ index }) =>
      lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
    );
}
