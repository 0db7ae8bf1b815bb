import type { User } from '@minitickets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { changeUser, useUser } from '../api/session.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Page } from '../interface/page.tsx';
import type { UserAction } from '../words/problems.ts';
import { AlreadyLoggedIn } from './already-logged-in.tsx';

const now = () => Date.now();

/** A page that starts a session (log in or register): its form, its errors, and the return to the previous page. */
export function AccountForm<Input>({
  title,
  lead,
  returnTo,
  action,
  send,
  welcome,
  check,
  fields,
  busyText,
  otherwise,
  children,
}: {
  /** Title of the page and text of its button. */
  title: string;
  lead?: ReactNode;
  returnTo: string | undefined;
  action: UserAction;
  send: (input: Input) => Promise<User>;
  /** Announced once the user is logged in. */
  welcome: (user: User) => string;
  /** Returns the input to send, or the errors by field. The first field with an error gets the focus. */
  check: () => { input: Input } | { wrong: object };
  fields: ReactNode;
  busyText: string;
  /** Link to the other page: from log-in to registration, and back. */
  otherwise: { question: string; words: string; to: '/log-in' | '/register' };
  children?: ReactNode;
}) {
  const user = useUser();
  const router = useRouter();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const entering = useWrite(send, (entered) => {
    router.history.replace(returnTo ?? '/');
    changeUser(client, entered);
    announce(welcome(entered));
  });
  const { problem } = entering;
  const waitSeconds = useSecondsLeft(problem?.retryAt, now);

  if (user && !entering.busy) return <AlreadyLoggedIn user={user} returnTo={returnTo} />;

  const submit = () => {
    const checked = check();
    if ('input' in checked) return entering.run(checked.input);
    const [first = ''] = Object.keys(checked.wrong);
    form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  };

  return (
    <Page title={title} lead={lead} width="narrow">
      <form
        ref={form}
        noValidate
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {fields}
        {problem && (
          <ProblemNotice
            problem={problem}
            action={action}
            automatic={entering.automatic}
            retry={problem.status >= 500 || problem.status === 0 ? entering.retry : undefined}
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
        <Button type="submit" wide busy={entering.busy} busyText={busyText} waitSeconds={waitSeconds}>
          {title}
        </Button>
        <p>
          {otherwise.question}{' '}
          <Link
            to={otherwise.to}
            search={returnTo ? { returnTo } : {}}
            className="font-semibold text-accent underline underline-offset-4"
          >
            {otherwise.words}
          </Link>
        </p>
      </form>
      {children}
    </Page>
  );
}
