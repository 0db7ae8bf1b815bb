/** A labelled checkbox. */
export function Checkbox({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 font-medium">
      <input
        type="checkbox"
        className="size-5 shrink-0"
        checked={checked}
        onChange={(change) => onChange(change.currentTarget.checked)}
      />
      {label}
    </label>
  );
}
