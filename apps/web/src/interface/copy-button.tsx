import { useEffect, useState } from 'react';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';

/** How long the button says what came of it. */
const saidMs = 3000;

/**
 * Copies a text. Browsers let pages do that on https and localhost only; elsewhere it says so, and the text can be
 * selected.
 * @param what is copied, as in "the commands"
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<{ words: string } | undefined>(undefined);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome({ words: 'Copied' });
      announce(`Copied ${what}.`);
    } catch {
      setOutcome({ words: 'Select and copy' });
      announce(`This browser does not let the page copy. Select ${what} and copy by hand.`);
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
