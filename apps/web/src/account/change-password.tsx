import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { apiKeysQuery, changePassword } from '../api/account-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { useFields } from '../interface/use-fields.ts';

const empty = { currentPassword: '', newPassword: '' };

/** Changes the password, and says before it does what else ends with it. */
export function ChangePassword() {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { typed, setTyped, setErrors, field } = useFields(empty);
  const [done, setDone] = useState(false);
  const changing = useWrite(changePassword, () => {
    setTyped(empty);
    setDone(true);
    announce('Your password is changed.');
    return client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  });
  const fieldOf = (name: keyof typeof empty) => {
    const refused = changing.problem?.fields.find(({ path }) => path === `/${name}`)?.message;
    return { ...field(name), error: field(name).error ?? refused };
  };

  const submit = () => {
    setDone(false);
    const errors = {
      ...(typed.currentPassword === '' && { currentPassword: 'Enter your current password.' }),
      ...(typed.newPassword.length < 8 && { newPassword: 'Enter at least 8 characters.' }),
      ...(typed.newPassword.length > 128 && { newPassword: 'Enter at most 128 characters.' }),
    };
    setErrors(errors);
    const [first] = Object.keys(errors);
    if (first === undefined) changing.run(typed);
    else form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  };

  return (
    <Card title="Password">
      <p>A new password logs you out on every other device and revokes your API keys. You stay logged in here.</p>
      <form
        ref={form}
        noValidate
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          {...fieldOf('currentPassword')}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters. A few random words make a good password."
          {...fieldOf('newPassword')}
        />
        {changing.problem && <ProblemNotice problem={changing.problem} action="changing" retry={changing.retry} />}
        {done && <Notice tone="good" title="Your password is changed." />}
        <Button type="submit" busy={changing.busy} busyText="Changing the password">
          Change the password
        </Button>
      </form>
    </Card>
  );
}
