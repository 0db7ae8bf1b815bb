import { Button } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** Shown when rendering fails, also when an outdated page requests a script that is no longer served. */
export function FailurePage() {
  return (
    <Page title="This page failed to load" lead="Your bookings are safe. Reload the page to continue." width="narrow">
      <Button onClick={() => window.location.reload()}>Reload the page</Button>
    </Page>
  );
}
