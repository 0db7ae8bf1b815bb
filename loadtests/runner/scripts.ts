/** What the runner prepares for a script, and what it asks about it. The scripts themselves say what they claim. */
export type ScriptNeeds = {
  about: string;
  /** Sessions to mint: each is another person. */
  customers: { usual: number; short: number };
  /** Virtual users come from addresses of their own, where the machine has them. */
  manyAddresses: boolean;
  /** It takes stores away, which only a stack that we started, or a compose stack that was named, is good for. */
  breaksStores: boolean;
};

const calm = { manyAddresses: false, breaksStores: false };
const some = { usual: 300, short: 200 };

export const scripts: Readonly<Record<string, ScriptNeeds>> = {
  'shared-policy': {
    ...calm,
    about: 'one address and one user against all tasks: one policy, exactly',
    customers: { usual: 200, short: 200 },
    manyAddresses: true,
  },
  'real-users': {
    ...calm,
    about: 'honest users beside a flood: they succeed, it is held to its budget',
    customers: some,
    manyAddresses: true,
  },
  office: {
    ...calm,
    about: 'hundreds of users behind one address in the morning',
    customers: some,
    manyAddresses: true,
  },
  'on-sale': {
    ...calm,
    about: 'thousands of customers for a few hundred places at an opening second',
    customers: { usual: 2000, short: 400 },
  },
  browse: { ...calm, about: 'reads at a constant rate', customers: some },
  mixed: { ...calm, about: 'a day in two minutes', customers: { usual: 1000, short: 300 } },
  soak: { ...calm, about: 'an hour: memory and latency stay flat', customers: { usual: 1000, short: 200 } },
  breakpoint: { ...calm, about: 'more and more, until a limit is met, and which', customers: some },
  'store-outage': {
    ...calm,
    about: 'Redis paused and PostgreSQL restarted under load',
    customers: { usual: 400, short: 300 },
    breaksStores: true,
  },
};
