import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { clockFace } from '../words/durations.ts';

type ButtonLook = 'primary' | 'quiet' | 'danger';

const looks: Record<ButtonLook, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'bg-surface text-ink inset-ring inset-ring-edge hover:bg-sunken',
  danger: 'bg-surface text-bad inset-ring inset-ring-bad hover:bg-bad-soft',
};

/** Returns the classes of a button, also for links that look like one. */
export const buttonClass = (look: ButtonLook, wide = false): string =>
  clsx(
    'inline-flex min-h-11 items-center justify-center gap-2 rounded-control px-5 py-2 font-semibold transition-colors duration-150',
    looks[look],
    wide && 'w-full',
    'aria-disabled:cursor-not-allowed aria-disabled:bg-sunken aria-disabled:text-muted aria-disabled:inset-ring aria-disabled:inset-ring-line',
  );

/**
 * A button. While it cannot be used it is `aria-disabled`, not `disabled`, so that it keeps the focus and its text says why.
 */
export function Button({
  look = 'primary',
  type = 'button',
  wide = false,
  busy = false,
  busyText,
  waitSeconds = 0,
  blocked = false,
  onClick,
  children,
}: {
  look?: ButtonLook;
  type?: 'button' | 'submit';
  wide?: boolean;
  busy?: boolean;
  busyText?: string;
  /** Disables the button for this long and shows the countdown on it. */
  waitSeconds?: number;
  blocked?: boolean;
  onClick?: () => void;
  children: ReactNode;
}) {
  const disabled = blocked || busy || waitSeconds > 0;
  return (
    <button
      type={type}
      className={buttonClass(look, wide)}
      aria-disabled={disabled}
      onClick={(click) => {
        if (disabled) click.preventDefault();
        else onClick?.();
      }}
    >
      {busy && <Spinner />}
      {busy ? (busyText ?? children) : children}
      {!busy && waitSeconds > 0 && <span className="tabular-nums">({clockFace(waitSeconds)})</span>}
    </button>
  );
}

function Spinner() {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" className="size-5 animate-spin fill-none stroke-current stroke-[2.5]">
      <path d="M12 3a9 9 0 1 1-9 9" strokeLinecap="round" />
    </svg>
  );
}
