import type { User } from '@minitickets/contract';
import { buttonClass } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** Shown instead of the form to a user who is already logged in, perhaps from another tab. */
export function AlreadyLoggedIn({ user, returnTo }: { user: User; returnTo: string | undefined }) {
  return (
    <Page title="You are logged in" lead={`As ${user.name} (${user.email}).`} width="narrow">
      <a href={returnTo ?? '/'} className={buttonClass('primary')}>
        Continue
      </a>
    </Page>
  );
}
