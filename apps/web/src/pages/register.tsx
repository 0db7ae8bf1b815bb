import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { register } from '../api/calls.ts';
import { changeUser, useUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { AlreadyLoggedIn } from '../parts/already-logged-in.tsx';
import { announce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { useSecondsLeft } from '../parts/countdown.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { type RegistrationErrors, registrationErrors } from '../words/registration.ts';

const route = getRouteApi('/register');
const now = () => Date.now();

export function RegisterPage() {
  const { returnTo } = route.useSearch();
  const user = useUser();
  const router = useRouter();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState({ name: '', email: '', password: '' });
  const [wrong, setWrong] = useState<RegistrationErrors>({});
  const registering = useWrite(register, (registered) => {
    router.history.replace(returnTo ?? '/');
    changeUser(client, registered);
    announce(`Welcome, ${registered.name}. Your account is ready.`);
  });
  const { problem } = registering;
  const waitSeconds = useSecondsLeft(problem?.retryAt, now);

  if (user && !registering.busy) return <AlreadyLoggedIn user={user} returnTo={returnTo} />;

  const set = (field: keyof typeof typed) => (value: string) => setTyped({ ...typed, [field]: value });
  const submit = () => {
    const errors = registrationErrors(typed);
    setWrong(errors);
    const first = Object.keys(errors)[0];
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    else registering.run({ ...typed, name: typed.name.trim(), email: typed.email.trim() });
  };

  return (
    <Page title="Register" lead="One account holds your bookings and tickets. No e-mail is sent." width="narrow">
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
          label="Name"
          name="name"
          autoComplete="name"
          error={wrong.name}
          value={typed.name}
          onChange={set('name')}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          error={wrong.email}
          value={typed.email}
          onChange={set('email')}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters. A few words in a row make a good one."
          error={wrong.password}
          value={typed.password}
          onChange={set('password')}
        />
        {problem && (
          <ProblemNotice
            problem={problem}
            doing="registering"
            automatic={registering.automatic}
            again={problem.status >= 500 || problem.status === 0 ? registering.again : undefined}
          >
            {problem.fields.length > 0 && (
              <ul className="list-disc pl-5">
                {problem.fields.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>
                    {path.replace(/^\//, '')}: {message}
                  </li>
                ))}
              </ul>
            )}
          </ProblemNotice>
        )}
        <Button type="submit" wide busy={registering.busy} busyText="Making your account" waitSeconds={waitSeconds}>
          Register
        </Button>
        <p>
          Already registered?{' '}
          <Link
            to="/log-in"
            search={returnTo ? { returnTo } : {}}
            className="font-semibold text-accent underline underline-offset-4"
          >
            Log in
          </Link>
        </p>
      </form>
    </Page>
  );
}
