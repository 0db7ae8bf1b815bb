import { Labelled } from './labelled.tsx';

/** A labelled field for several lines of text. */
export function TextArea({
  label,
  name,
  hint,
  maxLength,
  value,
  onChange,
}: {
  label: string;
  name: string;
  hint: string;
  maxLength: number;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Labelled label={label} hint={hint}>
      {(control) => (
        <textarea
          {...control}
          {...{ name, maxLength, value }}
          rows={5}
          onChange={(typed) => onChange(typed.currentTarget.value)}
          className="block min-h-28 w-full rounded-control bg-surface p-3 inset-ring inset-ring-edge"
        />
      )}
    </Labelled>
  );
}
