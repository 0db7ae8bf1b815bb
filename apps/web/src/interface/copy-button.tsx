import { useEffect, useState } from 'react';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';

/** How long the button shows the outcome. */
const outcomeMs = 3000;

/**
 * Copies a text to the clipboard. Browsers allow that on https and localhost only; elsewhere the button asks the user to
 * select and copy.
 * @param what is copied, such as "the commands"
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<{ words: string } | undefined>(undefined);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), outcomeMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome({ words: 'Copied' });
      announce(`Copied ${what}.`);
    } catch {
      setOutcome({ words: 'Select and copy' });
      announce(`Your browser does not allow copying here. Select ${what} and copy by hand.`);
    }
  };
  return (
    <Button
      look="quiet"
      onClick={() => {
        copy().catch(() => undefined);
      }}
    >
      {outcome?.words ?? `Copy ${what}`}
    </Button>
  );
}
