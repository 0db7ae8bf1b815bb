import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { AccountForm } from '../account/account-form.tsx';
import { register } from '../api/calls.ts';
import { Field } from '../interface/field.tsx';
import { type RegistrationErrors, registrationErrors } from '../words/registration.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { returnTo } = route.useSearch();
  const [typed, setTyped] = useState({ name: '', email: '', password: '' });
  const [wrong, setWrong] = useState<RegistrationErrors>({});

  const set = (field: keyof typeof typed) => (value: string) => setTyped({ ...typed, [field]: value });
  const check = () => {
    const errors = registrationErrors(typed);
    setWrong(errors);
    return Object.keys(errors).length > 0
      ? { wrong: errors }
      : { input: { ...typed, name: typed.name.trim(), email: typed.email.trim() } };
  };

  return (
    <AccountForm
      title="Register"
      lead="Your account holds your bookings and tickets. We do not send any e-mail."
      returnTo={returnTo}
      action="registering"
      send={register}
      welcome={({ name }) => `Welcome, ${name}. Your account is ready.`}
      check={check}
      busyText="Creating your account"
      otherwise={{ question: 'Already registered?', words: 'Log in', to: '/log-in' }}
      fields={
        <>
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
            hint="At least 8 characters. A few random words make a good password."
            error={wrong.password}
            value={typed.password}
            onChange={set('password')}
          />
        </>
      }
    />
  );
}
