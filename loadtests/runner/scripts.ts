/** What a script needs from the runner. */
export type ScriptNeeds = {
  about: string;
  /** The number of customers with a session. */
  customers: { full: number; short: number };
  /** Whether each virtual user has its own address, if the machine has several. */
  manyAddresses: boolean;
  /** Whether it breaks stores, which only our own stack, or a compose stack that was named explicitly, allows. */
  breaksStores: boolean;
};

const harmless = { manyAddresses: false, breaksStores: false };
const some = { full: 300, short: 200 };

export const scripts: Readonly<Record<string, ScriptNeeds>> = {
  'shared-policy': {
    ...harmless,
    about: 'one address and one user against all tasks: one policy, exactly',
    customers: { full: 200, short: 200 },
    manyAddresses: true,
  },
  'real-users': {
    ...harmless,
    about: 'honest users beside a flood: they succeed, and the flood gets its budget',
    customers: some,
    manyAddresses: true,
  },
  office: {
    ...harmless,
    about: 'hundreds of users behind one address in the morning',
    customers: some,
    manyAddresses: true,
  },
  'on-sale': {
    ...harmless,
    about: 'thousands of customers want a few hundred tickets at the opening',
    customers: { full: 2000, short: 400 },
  },
  browse: { ...harmless, about: 'reads at a constant rate', customers: some },
  mixed: { ...harmless, about: 'a day in two minutes', customers: { full: 1000, short: 300 } },
  soak: {
    ...harmless,
    about: 'an hour of visits: memory and latency stay flat',
    customers: { full: 1000, short: 200 },
  },
  breakpoint: { ...harmless, about: 'increases the load until a limit is reached', customers: some },
  'store-outage': {
    ...harmless,
    about: 'Redis paused and PostgreSQL restarted under load',
    customers: { full: 400, short: 300 },
    breaksStores: true,
  },
};
