import { isVisibleText, normalizeEmail } from '@minitickets/contract';

export interface RegistrationErrors {
  name?: string;
  email?: string;
  password?: string;
}

/** Returns what is wrong with a registration, by the rules of the API, so that it is said before anything is sent. */
export function registrationErrors(typed: { name: string; email: string; password: string }): RegistrationErrors {
  const name = typed.name.trim();
  return {
    ...(!isVisibleText(name) && { name: 'Type your name, in characters that people can see.' }),
    ...(name === '' && { name: 'Type your name.' }),
    ...(name.length > 120 && { name: 'At most 120 characters.' }),
    ...(normalizeEmail(typed.email) === undefined && { email: 'Type an e-mail address, such as ada@example.org.' }),
    ...(typed.password.length < 8 && { password: 'At least 8 characters.' }),
    ...(typed.password.length > 128 && { password: 'At most 128 characters.' }),
  };
}
