import type { Difficulty } from '@minitickets/decisions/frame/card';
import { clsx } from 'clsx';

const looks: Record<Difficulty, string> = {
  easy: 'bg-good-soft text-good',
  medium: 'bg-warn-soft text-warn',
  hard: 'bg-bad-soft text-bad',
};

/** How much a decision asks of its reader. */
export function DifficultyBadge({ difficulty }: { difficulty: Difficulty }) {
  return (
    <span className={clsx('rounded-full px-2.5 py-0.5 text-sm font-semibold', looks[difficulty])}>{difficulty}</span>
  );
}
