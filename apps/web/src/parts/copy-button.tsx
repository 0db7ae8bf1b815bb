import { useState } from 'react';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';

/**
 * Copies a text. Browsers let pages do that on https and localhost only; elsewhere it says so, and the text can be
 * selected.
 * @param what is copied, as in "the commands"
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
      announce(`Copied ${what}.`);
    } catch {
      setOutcome('refused');
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
      {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Select and copy' : `Copy ${what}`}
    </Button>
  );
}
