import { demoAccounts, type Role } from '@minitickets/contract';
import { Link } from '@tanstack/react-router';
import { buttonClass } from './button.tsx';
import { Page } from './page.tsx';

/**
 * What somebody sees who is logged in, but not as the one that a page is for.
 * @param who the role that it is for
 */
export function OnlyFor({ title, who }: { title: string; who: Role }) {
  const demo = demoAccounts.find(({ role }) => role === who);
  return (
    <Page
      title={title}
      lead={`This page is for the role ${who}.${demo ? ` On a freshly started stack ${demo.email} has it.` : ''}`}
      width="narrow"
    >
      <Link to="/account" className={buttonClass('quiet')}>
        Your account
      </Link>
    </Page>
  );
}
