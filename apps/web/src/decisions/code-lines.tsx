import type { CodeLine } from './content.ts';
import { numbered } from './numbered.ts';

/** What the kinds of tokens look like; the others are ink. */
const looks: Record<string, string> = {
  comment: 'text-muted italic',
  string: 'text-good',
  keyword: 'text-accent',
  built_in: 'text-accent',
  literal: 'text-warn',
  number: 'text-warn',
  title: 'font-semibold',
};

/** The box that code stands in. Long lines are broken: on a phone that is read more easily than what scrolls sideways. */
export const codeBoxClass =
  'rounded-control bg-paper py-3 font-mono text-[0.8125rem] leading-relaxed inset-ring inset-ring-line';

/** @param firstLine of the file, from 1; without it no numbers are shown */
export function CodeLines({ lines, firstLine }: { lines: readonly CodeLine[]; firstLine?: number }) {
  return (
    <pre className={codeBoxClass}>
      <code>
        {numbered(lines).map(({ item: line, place }) => (
          <span key={place} className="flex px-3">
            {firstLine !== undefined && (
              <span aria-hidden="true" className="w-9 shrink-0 select-none pr-3 text-right text-muted tabular-nums">
                {firstLine + place}
              </span>
            )}
            <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">
              {numbered(line).map(({ item: [text, kind], place: nth }) => (
                <span key={nth} className={kind && looks[kind]}>
                  {text}
                </span>
              ))}
              {'\n'}
            </span>
          </span>
        ))}
      </code>
    </pre>
  );
}
