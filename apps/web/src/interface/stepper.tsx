import { Icon, type IconName } from './icon.tsx';

/** Chooses how many: by buttons, or by typing into the field, which is a number field for everybody's sake. */
export function Stepper({
  label,
  quantity,
  max,
  onChange,
}: {
  /** What is counted, as in "Standing". */
  label: string;
  quantity: number;
  max: number;
  onChange: (quantity: number) => void;
}) {
  const change = (wanted: number) => onChange(Math.max(0, Math.min(max, wanted)));
  return (
    <fieldset className="flex items-center gap-2">
      <legend className="sr-only">How many places: {label}</legend>
      <StepButton icon="minus" name={`One ${label} less`} idle={quantity <= 0} onClick={() => change(quantity - 1)} />
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        aria-label={`Places: ${label}`}
        className="h-11 w-11 rounded-control bg-surface text-center text-lg font-bold tabular-nums"
        value={quantity}
        onFocus={(focus) => focus.currentTarget.select()}
        onChange={(typed) => {
          const digits = typed.currentTarget.value.replace(/\D/g, '');
          change(digits === '' ? 0 : Number(digits.slice(-2)));
        }}
        onKeyDown={(press) => {
          if (press.key === 'ArrowUp') change(quantity + 1);
          else if (press.key === 'ArrowDown') change(quantity - 1);
          else return;
          press.preventDefault();
        }}
      />
      <StepButton icon="plus" name={`One ${label} more`} idle={quantity >= max} onClick={() => change(quantity + 1)} />
    </fieldset>
  );
}

function StepButton({
  icon,
  name,
  idle,
  onClick,
}: {
  icon: IconName;
  name: string;
  idle: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-disabled={idle}
      onClick={idle ? undefined : onClick}
      className="grid size-11 place-items-center rounded-control bg-surface text-ink inset-ring inset-ring-edge hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:text-muted aria-disabled:inset-ring-line aria-disabled:hover:bg-surface"
    >
      <Icon name={icon} />
    </button>
  );
}
