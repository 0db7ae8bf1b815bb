import { SharedArray } from 'k6/data';

/** A seeded customer with a session, and the password that all of them have. */
export type Customer = { email: string; sid: string };
type Sessions = { customers: Customer[]; organiser: Customer; password: string };

const file = __ENV.SESSIONS_FILE;
if (!file) throw new Error('SESSIONS_FILE is missing: `npm run load -- <script>` makes the sessions and then runs k6.');
const read = () => JSON.parse(open(file)) as Sessions;

// Shared: two thousand sessions for each of two hundred virtual users would be a lot of memory.
const customers = new SharedArray<Customer>('customers', () => read().customers);
const [others] = new SharedArray<Omit<Sessions, 'customers'>>('organiser', () => [read()]);
if (!others) throw new Error(`${file} has no organiser`);

export const { organiser, password } = others;
/** How many there are. A run that needs more than it has would make one customer two people. */
export const customerCount = customers.length;

/** @param number from 0; each is another person */
export function customer(number: number): Customer {
  const one = customers[number];
  if (!one) throw new Error(`there are ${customers.length} customers, and number ${number} was asked for`);
  return one;
}
