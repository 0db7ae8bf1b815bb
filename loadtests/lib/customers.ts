import { SharedArray } from 'k6/data';

/** A seeded customer with a session. */
export type Customer = { email: string; sid: string };
type Sessions = { customers: Customer[]; organiser: Customer; password: string };

const file = __ENV.SESSIONS_FILE;
if (!file)
  throw new Error('SESSIONS_FILE is missing: `npm run load -- <script>` creates the sessions and then runs k6.');
const read = () => JSON.parse(open(file)) as Sessions;

// Shared between virtual users, because a copy for each would take a lot of memory.
const customers = new SharedArray<Customer>('customers', () => read().customers);
const [others] = new SharedArray<Omit<Sessions, 'customers'>>('organiser', () => [read()]);
if (!others) throw new Error(`${file} has no organiser`);

export const { organiser, password } = others;
/** The number of customers. A script that needs more would use one customer twice. */
export const customerCount = customers.length;

/** @param number from 0; each is a different person */
export function customer(number: number): Customer {
  const one = customers[number];
  if (!one) throw new Error(`there are ${customers.length} customers, and the script needs number ${number}`);
  return one;
}
