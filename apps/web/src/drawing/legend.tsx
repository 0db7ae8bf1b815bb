import type { ReactNode } from 'react';

/** The same marks as on the canvases, as 12 × 12 SVG. */
const marks = {
  served: <circle cx="6" cy="6" r="4.5" className="fill-good" />,
  refused: <circle cx="6" cy="6" r="3.5" className="fill-none stroke-warn stroke-2" />,
  banned: <path d="M2 2l8 8M10 2l-8 8" className="fill-none stroke-bad stroke-2" />,
  unanswered: <path d="M6 1v10" className="stroke-muted stroke-2" />,
} satisfies Record<string, ReactNode>;

/** Explains the marks of a drawing. */
export function Legend({ entries }: { entries: readonly (readonly [mark: keyof typeof marks, words: string])[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {entries.map(([mark, words]) => (
        <li key={mark} className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 0 12 12" className="size-3">
            {marks[mark]}
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}
