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
 * What somebody sees who is logged in, but not as the one that a page is for.
 * @param who the role that it is for
 */
export function OnlyFor({ title, who }: { title: string; who: Role }) {
  const client = useQueryClient();
  // Around this stands `Private`: once nobody is logged in it leads to the log-in, and from there back here.
  const leaving = useWrite(logOut, () => {
    changeUser(client, null);
    announce('You are logged out.');
  });
  const demo = demoAccounts.find(({ role }) => role === who);
  return (
    <Page
      title={title}
      lead={`This page is for the role ${who}.${demo ? ` On a freshly started stack ${demo.email} has it.` : ''}`}
      width="narrow"
    >
      {leaving.problem && <ProblemNotice problem={leaving.problem} doing="logging_out" again={leaving.again} />}
      <div className="flex flex-wrap gap-2">
        <Button busy={leaving.busy} busyText="Logging out" onClick={() => leaving.run(undefined)}>
          Log in as somebody else
        </Button>
        <Link to="/account" className={buttonClass('quiet')}>
          Your account
        </Link>
      </div>
    </Page>
  );
}
