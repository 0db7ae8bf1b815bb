import { type ReactNode, useEffect, useRef } from 'react';

/**
 * When what has the focus inside of it goes away (a button that is pressed and makes place for what it began), the focus
 * goes to the part that is marked by `FocusNext`. A focus that is somewhere stays there.
 */
export function KeptFocus({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isInside = useRef<boolean>(false);
  useEffect(() => {
    // A press as well: what is pressed beside it takes the focus from it, or else nothing has it, as the reader wants.
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

/** What is next for who has lost the focus: the first button, field or heading in it. Of a page there is one at a time. */
export function FocusNext({ children }: { children: ReactNode }) {
  return <div {...{ [mark]: '' }}>{children}</div>;
}
