import type { CodeLine } from './content.ts';
import { numbered } from './numbered.ts';

/** The look of each token kind; others use the default colour. */
const looks: Record<string, string> = {
  comment: 'text-muted italic',
  string: 'text-good',
  keyword: 'text-accent',
  built_in: 'text-accent',
  literal: 'text-warn',
  number: 'text-warn',
  title: 'font-semibold',
};

/** The box around code. Long lines wrap, which reads better on a phone than scrolling sideways. */
export const codeBoxClass =
  'rounded-control bg-paper py-3 font-mono text-[0.8125rem] leading-relaxed inset-ring inset-ring-line';

/** @param firstLine number of the first line in its file, from 1; omit it to hide line numbers */
export function CodeLines({ lines, firstLine }: { lines: readonly CodeLine[]; firstLine?: number }) {
  return (
    <pre className={codeBoxClass}>
      <code>
        {numbered(lines).map(({ item: line, index }) => (
          <span key={index} className="flex px-3">
            {firstLine !== undefined && (
              <span aria-hidden="true" className="w-9 shrink-0 select-none pr-3 text-right text-muted tabular-nums">
                {firstLine + index}
              </span>
            )}
            <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">
              {numbered(line).map(({ item: [text, kind], index: nth }) => (
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
