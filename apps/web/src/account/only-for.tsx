import { demoAccounts, type Role } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { logOut } from '../api/calls.ts';
import { changeUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button, buttonClass } from '../interface/button.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';

/**
 * Shown to a user whose role does not give access to a page.
 * @param requiredRole the role that does
 */
export function OnlyFor({ title, requiredRole }: { title: string; requiredRole: Role }) {
  const client = useQueryClient();
  // `Private` renders this: after the log-out it redirects to the log-in page, which returns here.
  const leaving = useWrite(logOut, () => {
    changeUser(client, null);
    announce('You are logged out.');
  });
  const demo = demoAccounts.find(({ role }) => role === requiredRole);
  return (
    <Page
      title={title}
      lead={`Only users with the role ${requiredRole} can open this page.${demo ? ` On a freshly started stack, ${demo.email} has it.` : ''}`}
      width="narrow"
    >
      {leaving.problem && <ProblemNotice problem={leaving.problem} action="logging_out" retry={leaving.retry} />}
      <div className="flex flex-wrap gap-2">
        <Button busy={leaving.busy} busyText="Logging out" onClick={() => leaving.run(undefined)}>
          Log in as another user
        </Button>
        <Link to="/account" className={buttonClass('quiet')}>
          Your account
        </Link>
      </div>
    </Page>
  );
}
