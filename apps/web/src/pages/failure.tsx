import { Button } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** When a page itself breaks: also when it is older than the shop and a part of it is no longer served. */
export function FailurePage() {
  return (
    <Page
      title="This page broke"
      lead="It is not your doing. Your bookings are safe: they live in the shop, not in this page."
      width="narrow"
    >
      <Button onClick={() => window.location.reload()}>Load it again</Button>
    </Page>
  );
}
