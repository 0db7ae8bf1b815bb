import { clsx } from 'clsx';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { announce } from '../interface/announcer.tsx';
import { buttonClass } from '../interface/button.tsx';
import { own } from './study.ts';
import { study, useStudy } from './use-study.ts';

/**
 * Folds the answer until the reader asks for it. It is a `<details>`, so it works without scripts, and what was opened
 * before they were loaded stays open.
 * @param open whether it is unfolded anyway, because the page's URL names a run
 */
export function FoldedAnswer({ name, open, children }: { name: string; open: boolean; children: ReactNode }) {
  const box = useRef<HTMLDetailsElement>(null);
  const { showAll } = useStudy();

  // Before the router scrolls to a part of it.
  useLayoutEffect(() => {
    if (box.current && (open || showAll)) box.current.open = true;
  }, [open, showAll]);
  useEffect(() => {
    if (box.current?.open) study.reveal(name);
    const unfoldForLink = () => {
      const part = document.getElementById(window.location.hash.slice(1));
      if (!box.current || box.current.open || part === null || !box.current.contains(part)) return;
      box.current.open = true;
      part.scrollIntoView();
    };
    unfoldForLink();
    window.addEventListener('hashchange', unfoldForLink);
    return () => window.removeEventListener('hashchange', unfoldForLink);
  }, [name]);
  return (
    <details
      ref={box}
      className="group"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) study.reveal(name);
      }}
    >
      <summary className={clsx(buttonClass('primary'), 'list-none [&::-webkit-details-marker]:hidden')}>
        <span className="group-open:hidden">Show the answer</span>
        <span className="hidden group-open:inline">Hide the answer</span>
      </summary>
      <div className="mt-6 space-y-6">{children}</div>
    </details>
  );
}

const marks = [
  ['right', 'I had it', 'Marked as known.'],
  ['wrong', 'I missed it', 'Marked for review, tomorrow at the earliest.'],
] as const;

/** Lets readers judge their own answer. What they missed comes back for review. */
export function Mark({ name }: { name: string }) {
  const { decisions } = useStudy();
  const { mark } = own(decisions, name);
  return (
    <fieldset className="flex flex-wrap items-center gap-3">
      <legend className="mb-2 font-semibold">How was your answer?</legend>
      {marks.map(([value, words, said]) => (
        <button
          key={value}
          type="button"
          aria-pressed={mark === value}
          className={clsx(buttonClass('quiet'), 'aria-pressed:bg-accent-soft aria-pressed:inset-ring-accent')}
          onClick={() => {
            study.mark(name, value, Date.now());
            announce(said);
          }}
        >
          {words}
        </button>
      ))}
      <p className="text-sm text-muted">What you missed comes back after 1, 3, 7 and 21 days.</p>
    </fieldset>
  );
}
