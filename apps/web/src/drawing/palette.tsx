import { useEffect, useRef } from 'react';

const roles = {
  ink: 'text-ink',
  muted: 'text-muted',
  line: 'text-line',
  accent: 'text-accent',
  accentSoft: 'text-accent-soft',
  served: 'text-good',
  throttled: 'text-warn',
  suppressed: 'text-bad',
  banned: 'text-bad-soft',
} as const;

export type Palette = Record<keyof typeof roles, string>;

const dark = '(prefers-color-scheme: dark)';

/**
 * Provides the colours of the page's theme for canvas drawings, which CSS classes do not reach.
 * @returns the palette, and hidden sample elements that must be rendered on the page
 */
export function usePalette(onChange: () => void) {
  const where = useRef<HTMLSpanElement>(null);
  const palette = useRef<Palette | undefined>(undefined);
  const read = (): Palette => {
    palette.current ??= Object.fromEntries(
      Object.keys(roles).map((role) => {
        const sample = where.current?.querySelector(`[data-role=${role}]`);
        return [role, sample ? getComputedStyle(sample).color : 'gray'];
      }),
    ) as Palette;
    return palette.current;
  };
  useEffect(() => {
    const media = matchMedia(dark);
    const forget = () => {
      palette.current = undefined;
      onChange();
    };
    media.addEventListener('change', forget);
    return () => media.removeEventListener('change', forget);
  }, [onChange]);
  const samples = (
    <span ref={where} hidden>
      {Object.entries(roles).map(([role, className]) => (
        <span key={role} data-role={role} className={className} />
      ))}
    </span>
  );
  return { read, samples };
}
