import { demoAccounts, demoPassword } from '@minitickets/contract';
import { getRouteApi } from '@tanstack/react-router';
import { AccountForm } from '../account/account-form.tsx';
import { logIn } from '../api/calls.ts';
import { announce } from '../interface/announcer.tsx';
import { Field } from '../interface/field.tsx';
import { useFields } from '../interface/use-fields.ts';

const route = getRouteApi('/log-in');

export function LogInPage() {
  const { returnTo } = route.useSearch();
  const { typed, setTyped, setErrors, field } = useFields({ email: '', password: '' });

  const check = () => {
    const { email, password } = typed;
    const wrong = {
      ...(email.trim() === '' && { email: 'Enter your e-mail address.' }),
      ...(password === '' && { password: 'Enter your password.' }),
    };
    setErrors(wrong);
    return Object.keys(wrong).length > 0 ? { wrong } : { input: { email: email.trim(), password } };
  };

  return (
    <AccountForm
      title="Log in"
      lead={returnTo && wayBack(returnTo)}
      returnTo={returnTo}
      action="logging_in"
      send={logIn}
      welcome={({ name }) => `Welcome, ${name}.`}
      check={check}
      busyText="Logging in"
      otherwise={{ question: 'No account yet?', words: 'Register', to: '/register' }}
      fields={
        <>
          <Field label="E-mail" type="email" autoComplete="username" {...field('email')} />
          <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
        </>
      }
    >
      <section aria-labelledby="demo" className="space-y-3 rounded-card bg-sunken p-5">
        <div>
          <h2 id="demo" className="text-lg font-bold">
            Demo accounts
          </h2>
          <p className="text-muted">Click one to fill in the form. A freshly started stack has these accounts.</p>
        </div>
        <ul className="grid gap-2 sm:grid-cols-2">
          {demoAccounts.map((account) => (
            <li key={account.email}>
              <button
                type="button"
                className="h-full w-full rounded-control bg-surface p-3 text-left inset-ring inset-ring-line hover:inset-ring-accent"
                onClick={() => {
                  setTyped({ email: account.email, password: demoPassword });
                  setErrors({});
                  announce(`Filled in the form for ${account.name}.`);
                }}
              >
                <span className="block font-semibold">{account.name}</span>
                <span className="block text-sm text-muted">{accountKind(account)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </AccountForm>
  );
}

/** Says what happens after the log-in. Only an event's page has a choice to keep. */
const wayBack = (returnTo: string) =>
  `Log in to continue. You will return to the page you came from${returnTo.startsWith('/events/') ? ', and your choice is kept' : ''}.`;

const accountKind = ({ role, tier }: (typeof demoAccounts)[number]) =>
  role === 'customer' ? `customer, ${tier} tier` : role;
