import { Icon, type IconName } from './icon.tsx';

/** Chooses a quantity with buttons, arrow keys, or by typing a number. */
export function Stepper({
  label,
  quantity,
  max,
  onChange,
}: {
  /** What is counted, such as "Standing". */
  label: string;
  quantity: number;
  max: number;
  onChange: (quantity: number) => void;
}) {
  const change = (next: number) => onChange(Math.max(0, Math.min(max, next)));
  return (
    <fieldset className="flex items-center gap-2">
      <legend className="sr-only">How many tickets: {label}</legend>
      <StepButton
        icon="minus"
        name={`Fewer ${label} tickets`}
        disabled={quantity <= 0}
        onClick={() => change(quantity - 1)}
      />
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        aria-label={`${label} tickets`}
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
      <StepButton
        icon="plus"
        name={`More ${label} tickets`}
        disabled={quantity >= max}
        onClick={() => change(quantity + 1)}
      />
    </fieldset>
  );
}

function StepButton({
  icon,
  name,
  disabled,
  onClick,
}: {
  icon: IconName;
  name: string;
  disabled: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-disabled={disabled}
      onClick={disabled ? undefined : onClick}
      className="grid size-11 place-items-center rounded-control bg-surface text-ink inset-ring inset-ring-edge hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:text-muted aria-disabled:inset-ring-line aria-disabled:hover:bg-surface"
    >
      <Icon name={icon} />
    </button>
  );
}
