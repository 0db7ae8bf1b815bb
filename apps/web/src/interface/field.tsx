import { useId } from 'react';

/** A labelled text field. Screen readers read its hint and its error with it. */
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
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-semibold">
        {label}
      </label>
      <input
        id={id}
        name={name}
        type={type}
        inputMode={inputMode}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={described === '' ? undefined : described}
        value={value}
        onChange={(typed) => onChange(typed.currentTarget.value)}
        className="h-12 w-full rounded-control bg-surface px-3 inset-ring inset-ring-edge aria-invalid:inset-ring-2 aria-invalid:inset-ring-bad"
      />
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-sm font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
