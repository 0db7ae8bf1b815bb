export interface RegistrationErrors {
  name?: string;
  email?: string;
  password?: string;
}

/** What is certainly wrong with a registration, said before it is sent. The API has the last word. */
export function registrationErrors(typed: { name: string; email: string; password: string }): RegistrationErrors {
  const name = typed.name.trim();
  return {
    ...(name === '' && { name: 'Type your name.' }),
    ...(name.length > 120 && { name: 'At most 120 characters.' }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.email.trim()) && {
      email: 'Type an e-mail address, as in ada@example.org.',
    }),
    ...(typed.password.length < 8 && { password: 'At least 8 characters.' }),
    ...(typed.password.length > 128 && { password: 'At most 128 characters.' }),
  };
}
