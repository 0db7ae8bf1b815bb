import { Link } from '@tanstack/react-router';
import { buttonClass } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** @param what was not found, such as "event" */
export function NotFoundPage({ what }: { what: string }) {
  return (
    <Page title={`No such ${what}`} lead="It may have been removed, or the address may be mistyped." width="narrow">
      <Link to="/" className={buttonClass('primary')}>
        Browse events
      </Link>
    </Page>
  );
}
