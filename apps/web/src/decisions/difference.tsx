import type { DifferenceReport, DiffLine } from '@minitickets/decisions/frame/difference';
import { clsx } from 'clsx';
import { codeBoxClass } from './code-lines.tsx';

/** Lines that are the same are shown next to a change, as many as give it a place. */
const context = 2;

const looks: Record<DiffLine['kind'], { row: string; mark: string; words: string }> = {
  same: { row: 'text-muted', mark: ' ', words: '' },
  removed: { row: 'bg-bad-soft text-bad', mark: '−', words: 'Without: ' },
  added: { row: 'bg-good-soft text-good', mark: '+', words: 'Instead: ' },
};

/** In what an arm is another one than what is shipped, down to the line. */
export function Differences({ parts }: { parts: readonly DifferenceReport[] }) {
  return (
    <div className="space-y-3">
      {parts.map((part) => (
        <figure key={part.title} className="space-y-1.5">
          <figcaption className="text-sm text-muted wrap-anywhere">{part.title}</figcaption>
          <pre className={codeBoxClass}>
            <code>
              {nearChanges(part.lines).map(({ kind, text, place }) => (
                <span key={place} className={clsx('flex px-3', looks[kind].row)}>
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
    .map((line, place) => ({ ...line, place }))
    .filter(({ place }) =>
      lines.slice(Math.max(0, place - context), place + context + 1).some(({ kind }) => kind !== 'same'),
    );
}
