import type { User } from '@minitickets/contract';
import { buttonClass } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** What the log-in pages show to somebody who logged in meanwhile, perhaps in another tab. */
export function AlreadyLoggedIn({ user, returnTo }: { user: User; returnTo: string | undefined }) {
  return (
    <Page title="You are logged in" lead={`As ${user.name} (${user.email}).`} width="narrow">
      <a href={returnTo ?? '/'} className={buttonClass('primary')}>
        Go on
      </a>
    </Page>
  );
}
