import { Labelled } from './labelled.tsx';

/** A labelled select field. */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  hint,
}: {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, words: string])[];
  onChange: (value: Value) => void;
  hint?: string;
}) {
  return (
    <Labelled label={label} hint={hint}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(change) => onChange(change.currentTarget.value as Value)}
          className="h-12 w-full rounded-control bg-surface px-3 inset-ring inset-ring-edge"
        >
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
