import { Link } from '@tanstack/react-router';
import { buttonClass } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** @param what is not there, as in "event" */
export function NotFoundPage({ what }: { what: string }) {
  return (
    <Page
      title={`There is no such ${what}`}
      lead="It may have been removed, or the address is mistyped."
      width="narrow"
    >
      <Link to="/" className={buttonClass('primary')}>
        See all events
      </Link>
    </Page>
  );
}
