import { useState } from 'react';

/** The state of a form's text fields: what was typed, and the errors to show. `field` returns the props of one `Field`. */
export function useFields<Name extends string>(initial: Record<Name, string>) {
  const [typed, setTyped] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<Name, string>>>({});
  const field = (name: Name) => ({
    name,
    value: typed[name],
    error: errors[name],
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
  });
  return { typed, setTyped, setErrors, field };
}
