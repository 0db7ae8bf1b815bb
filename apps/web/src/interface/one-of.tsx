import { useId } from 'react';

/** A radio group with all options in view. */
export function OneOf<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [value: Value, words: string])[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 font-semibold">{label}</legend>
      <div className="flex flex-wrap gap-1 rounded-control bg-sunken p-1">
        {options.map(([option, words]) => (
          <label
            key={option}
            className="relative grow cursor-pointer rounded-control px-2.5 py-2 text-center font-medium text-muted hover:text-ink has-checked:bg-surface has-checked:font-semibold has-checked:text-ink has-checked:inset-ring has-checked:inset-ring-edge has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
