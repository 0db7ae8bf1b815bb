/** The demo accounts that the seed creates and `npm start` prints. Anyone may use them on a local stack. */
export const demoPassword = 'correct horse battery staple';
export const demoAccounts = [
  { email: 'customer@minitickets.example', name: 'Casey Customer', role: 'customer', tier: 'free' },
  { email: 'pro@minitickets.example', name: 'Priya Pro', role: 'customer', tier: 'pro' },
  { email: 'organiser@minitickets.example', name: 'Oskar Organiser', role: 'organiser', tier: 'free' },
  { email: 'admin@minitickets.example', name: 'Ada Admin', role: 'admin', tier: 'free' },
] as const;

/** The seeded customers that load tests act as: `load-0001@` to `load-2000@`, all with the demo password. */
export const loadCustomers = 2000;
/** @param number from 1 to `loadCustomers` */
export const loadCustomerEmail = (number: number) => `load-${String(number).padStart(4, '0')}@minitickets.example`;
