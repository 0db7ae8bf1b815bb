import { Labelled } from './labelled.tsx';

/** A labelled text field. */
export function Field({
  label,
  name,
  type = 'text',
  inputMode,
  autoComplete,
  hint,
  error,
  value,
  onChange,
}: {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'datetime-local';
  inputMode?: 'numeric' | 'decimal';
  autoComplete: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          {...{ name, type, inputMode, autoComplete, value }}
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={error !== undefined}
          onChange={(typed) => onChange(typed.currentTarget.value)}
          className="h-12 w-full rounded-control bg-surface px-3 inset-ring inset-ring-edge aria-invalid:inset-ring-2 aria-invalid:inset-ring-bad"
        />
      )}
    </Labelled>
  );
}
