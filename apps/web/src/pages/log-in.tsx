import { demoAccounts, demoPassword } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { logIn } from '../api/calls.ts';
import { changeUser, useUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { AlreadyLoggedIn } from '../parts/already-logged-in.tsx';
import { announce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { useSecondsLeft } from '../parts/countdown.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';

const route = getRouteApi('/log-in');
const now = () => Date.now();

export function LogInPage() {
  const { returnTo } = route.useSearch();
  const user = useUser();
  const router = useRouter();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState<{ email?: string; password?: string }>({});
  const loggingIn = useWrite(logIn, (loggedIn) => {
    router.history.replace(returnTo ?? '/');
    changeUser(client, loggedIn);
    announce(`Welcome, ${loggedIn.name}.`);
  });
  const { problem } = loggingIn;
  const waitSeconds = useSecondsLeft(problem?.retryAt, now);

  if (user && !loggingIn.busy) return <AlreadyLoggedIn user={user} returnTo={returnTo} />;

  const submit = () => {
    const empty = {
      ...(email.trim() === '' && { email: 'Type your e-mail address.' }),
      ...(password === '' && { password: 'Type your password.' }),
    };
    setMissing(empty);
    const first = Object.keys(empty)[0];
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    else loggingIn.run({ email: email.trim(), password });
  };

  return (
    <Page
      title="Log in"
      lead={returnTo ? 'Log in to go on. You come back to where you were, and your choice is kept.' : undefined}
      width="narrow"
    >
      <form
        ref={form}
        noValidate
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          error={missing.email}
          value={email}
          onChange={setEmail}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={missing.password}
          value={password}
          onChange={setPassword}
        />
        {problem && (
          <ProblemNotice
            problem={problem}
            doing="logging_in"
            automatic={loggingIn.automatic}
            again={problem.status >= 500 || problem.status === 0 ? loggingIn.again : undefined}
          />
        )}
        <Button type="submit" wide busy={loggingIn.busy} busyText="Logging in" waitSeconds={waitSeconds}>
          Log in
        </Button>
        <p>
          No account yet?{' '}
          <Link
            to="/register"
            search={returnTo ? { returnTo } : {}}
            className="font-semibold text-accent underline underline-offset-4"
          >
            Register
          </Link>
        </p>
      </form>
      <section aria-labelledby="demo" className="space-y-3 rounded-card bg-sunken p-5">
        <div>
          <h2 id="demo" className="text-lg font-bold">
            Demo accounts
          </h2>
          <p className="text-muted">One click fills the form. They exist on a freshly started stack.</p>
        </div>
        <ul className="grid gap-2 sm:grid-cols-2">
          {demoAccounts.map((account) => (
            <li key={account.email}>
              <button
                type="button"
                className="h-full w-full rounded-control bg-surface p-3 text-left inset-ring inset-ring-line hover:inset-ring-accent"
                onClick={() => {
                  setEmail(account.email);
                  setPassword(demoPassword);
                  setMissing({});
                  announce(`Filled in for ${account.name}.`);
                }}
              >
                <span className="block font-semibold">{account.name}</span>
                <span className="block text-sm text-muted">{accountKind(account)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}

const accountKind = ({ role, tier }: (typeof demoAccounts)[number]) =>
  role === 'customer' ? `customer, ${tier} tier` : role;
