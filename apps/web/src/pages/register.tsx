import { getRouteApi } from '@tanstack/react-router';
import { AccountForm } from '../account/account-form.tsx';
import { register } from '../api/calls.ts';
import { Field } from '../interface/field.tsx';
import { useFields } from '../interface/use-fields.ts';
import { registrationErrors } from '../words/registration.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const { returnTo } = route.useSearch();
  const { typed, setErrors, field } = useFields({ name: '', email: '', password: '' });
  const check = () => {
    const errors = registrationErrors(typed);
    setErrors(errors);
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
          <Field label="Name" autoComplete="name" {...field('name')} />
          <Field label="E-mail" type="email" autoComplete="username" {...field('email')} />
          <Field
            label="Password"
            type="password"
            autoComplete="new-password"
            hint="At least 8 characters. A few random words make a good password."
            {...field('password')}
          />
        </>
      }
    />
  );
}
