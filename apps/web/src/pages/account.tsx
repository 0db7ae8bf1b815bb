import type { User } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ApiKeys } from '../account/api-keys.tsx';
import { ChangePassword } from '../account/change-password.tsx';
import { Private } from '../account/private.tsx';
import { logOutEverywhere } from '../api/account-calls.ts';
import { logOut } from '../api/calls.ts';
import { changeUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button, buttonClass } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';

export function AccountPage() {
  return <Private>{(user) => <Account user={user} />}</Private>;
}

const tierWords: Record<string, string> = {
  free: 'Free: by default 10 booking requests at once, then 1 per second',
  pro: 'Pro: by default 30 booking requests at once, then 3 per second',
};

function Account({ user }: { user: User }) {
  return (
    <Page title="Your account">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="space-y-4">
          <Card title={user.name}>
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
              <dt className="text-muted">E-mail</dt>
              <dd className="break-all">{user.email}</dd>
              <dt className="text-muted">Role</dt>
              <dd>{user.role}</dd>
              <dt className="text-muted">Tier</dt>
              <dd>{tierWords[user.tier] ?? user.tier}</dd>
              <dt className="text-muted">User ID</dt>
              <dd>
                <code className="break-all text-sm">{user.id}</code>
              </dd>
            </dl>
            <div className="flex flex-wrap gap-2">
              <Link to="/bookings" className={buttonClass('quiet')}>
                My bookings
              </Link>
              {user.role !== 'customer' && (
                <Link to="/organise" className={buttonClass('quiet')}>
                  Organise
                </Link>
              )}
              {user.role === 'admin' && (
                <Link to="/operations" className={buttonClass('quiet')}>
                  Operations
                </Link>
              )}
            </div>
          </Card>
          <Sessions />
          <ChangePassword />
        </div>
        <ApiKeys />
      </div>
    </Page>
  );
}

function Sessions() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = (sentence: string) => async () => {
    await navigate({ to: '/' });
    changeUser(client, null);
    announce(sentence);
  };
  const here = useWrite(logOut, leave('You are logged out.'));
  const everywhere = useWrite(logOutEverywhere, leave('You are logged out everywhere.'));
  const problem = here.problem ?? everywhere.problem;
  return (
    <Card title="Sessions">
      <p>
        If you are still logged in on another computer, or lost a device, log out everywhere. It takes effect at once,
        and it also revokes all your API keys: programs that use them stop working.
      </p>
      {problem && (
        <ProblemNotice problem={problem} action="logging_out" retry={here.problem ? here.retry : everywhere.retry} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="quiet" busy={here.busy} busyText="Logging out" onClick={() => here.run(undefined)}>
          Log out here
        </Button>
        <Button
          look="danger"
          busy={everywhere.busy}
          busyText="Logging out everywhere"
          onClick={() => everywhere.run(undefined)}
        >
          Log out everywhere
        </Button>
      </div>
    </Card>
  );
}
