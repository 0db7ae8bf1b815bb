import { Link } from '@tanstack/react-router';
import { Icon } from '../interface/icon.tsx';

/** Leads back to the list of decisions. */
export function AllDecisions() {
  return (
    <Link
      to="/decisions"
      activeOptions={{ exact: true }}
      className="inline-flex min-h-11 items-center gap-2 font-medium text-muted underline-offset-4 hover:underline"
    >
      <Icon name="back" className="size-4" />
      All decisions
    </Link>
  );
}
