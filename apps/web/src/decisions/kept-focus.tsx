import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Keeps the keyboard focus when the focused element inside is removed (a button that is replaced by what it started): the
 * focus then moves to the part marked by `FocusNext`. A focus elsewhere stays where it is.
 */
export function KeptFocus({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isInside = useRef<boolean>(false);
  useEffect(() => {
    // A click outside takes the focus away, even onto nothing, and the reader meant that.
    const onMove = ({ target }: Event) => {
      isInside.current = target instanceof Node && box.current?.contains(target) === true;
    };
    document.addEventListener('focusin', onMove);
    document.addEventListener('pointerdown', onMove);
    const observer = new MutationObserver(() => {
      if (!isInside.current || document.activeElement !== document.body) return;
      box.current?.querySelector<HTMLElement>(`[${mark}] :is(button, input, [tabindex])`)?.focus();
    });
    if (box.current) observer.observe(box.current, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onMove);
      document.removeEventListener('pointerdown', onMove);
    };
  }, []);
  return (
    <div ref={box} className="space-y-4">
      {children}
    </div>
  );
}

const mark = 'data-focus-next';

/** Marks where a lost focus goes: to its first button, field or heading. A page renders one at a time. */
export function FocusNext({ children }: { children: ReactNode }) {
  return <div {...{ [mark]: '' }}>{children}</div>;
}
