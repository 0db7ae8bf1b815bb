import { isVisibleText, normalizeEmail } from '@minitickets/contract';

export interface RegistrationErrors {
  name?: string;
  email?: string;
  password?: string;
}

/** Returns what is wrong with a registration by the API's own rules, so that the page says so before sending anything. */
export function registrationErrors(typed: { name: string; email: string; password: string }): RegistrationErrors {
  const name = typed.name.trim();
  return {
    ...(!isVisibleText(name) && { name: 'Enter your name in visible characters.' }),
    ...(name === '' && { name: 'Enter your name.' }),
    ...(name.length > 120 && { name: 'Enter at most 120 characters.' }),
    ...(normalizeEmail(typed.email) === undefined && { email: 'Enter an e-mail address, such as ada@example.org.' }),
    ...(typed.password.length < 8 && { password: 'Enter at least 8 characters.' }),
    ...(typed.password.length > 128 && { password: 'Enter at most 128 characters.' }),
  };
}
