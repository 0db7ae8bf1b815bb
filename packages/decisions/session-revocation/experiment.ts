import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { shippedWriting } from '../frame/subjects/desks.ts';
import { openHouse, placesTaken } from '../frame/subjects/house.ts';
import { listPerTask, signedToken } from './naive.ts';
import { type Sessions, shippedSessions } from './sessions.ts';

const TASKS = 3;
const DEVICES = ['phone', 'laptop', 'tablet'] as const;
type Device = (typeof DEVICES)[number];
const ALL = DEVICES.length * TASKS;

/** Starts a task: how it knows who is calling. */
type StartTask = (redis: Redis) => Sessions;
type Measure = 'logged-in' | 'forged' | 'logged-out' | 'everywhere' | 'after-a-deploy';

const shippedRegion = { file: 'apps/api/src/queries/sessions.ts', region: 'live' };
const naive = (region: string) => ({ file: 'packages/decisions/session-revocation/naive.ts', region });

export default defineExperiment<StartTask, Measure>({
  name: 'session-revocation',
  claim: 'Who has logged out is logged out: on every task, with the next request.',
  load: `Somebody is logged in on ${DEVICES.join(', ')}. Somebody else has copied all three cookies, and tries to book with each at each of ${TASKS} tasks: while they are good; with a character changed; the phone's when it has logged out at the first task; the other two when the laptop has logged out everywhere at the second task; and all of them when a deploy has started new tasks.`,
  measures: {
    'logged-in': `places booked of ${ALL}, while logged in`,
    forged: `places booked of ${ALL} with a changed cookie`,
    'logged-out': `places booked of ${TASKS} after a log-out`,
    everywhere: `places booked of ${2 * TASKS} after a log-out everywhere`,
    'after-a-deploy': `places booked of ${ALL} after a deploy`,
  },
  naive: {
    'signed-token': {
      what: 'the cookie is a signed token, and nothing is stored',
      subject: signedToken,
      differences: [{ shipped: shippedRegion, instead: naive('signed-token') }],
      mostChangedLines: 28,
      // Its signature is as good as any: nobody forges it, and nobody can take it back.
      fails: {
        'logged-in': exactly(ALL),
        forged: exactly(0),
        'logged-out': exactly(TASKS),
        everywhere: exactly(2 * TASKS),
        'after-a-deploy': exactly(ALL),
      },
    },
    'list-per-task': {
      what: 'signed tokens, and each task remembers those that were ended at it',
      subject: listPerTask,
      differences: [{ shipped: shippedRegion, instead: naive('list-per-task') }],
      mostChangedLines: 36,
      fails: {
        'logged-in': exactly(ALL),
        forged: exactly(0),
        'logged-out': exactly(TASKS - 1),
        everywhere: exactly(2 * (TASKS - 1)),
        'after-a-deploy': exactly(ALL),
      },
    },
  },
  shipped: {
    what: 'the cookie is a random id, and the session is in Redis until it ends',
    subject: shippedSessions,
    holds: {
      'logged-in': exactly(ALL),
      forged: exactly(0),
      'logged-out': exactly(0),
      everywhere: exactly(0),
      'after-a-deploy': exactly(0),
    },
  },
  mutation: {
    what: 'logging out everywhere ends the session that asks for it',
    subject: (redis) => {
      const sessions = shippedSessions(redis);
      return { ...sessions, endAll: (_userId, cookie) => sessions.end(cookie) };
    },
  },
  prediction: {
    question: `The laptop has logged out everywhere. At how many of ${2 * TASKS} tries with a copied cookie, at ${TASKS} tasks, does a shop book in its owner's name if the cookie is a signed token?`,
    arm: 'signed-token',
    measure: 'everywhere',
  },

  async run(stage, startTask) {
    const { db } = await stage.connectPostgres('observer');
    const connections = await stage.bookingTasks(TASKS);
    const deploy = () =>
      connections.map((task) => ({ name: task.name, sessions: startTask(task.redis), book: shippedWriting(task) }));
    let tasks = deploy();
    const task = (nth: number) => tasks[nth] as (typeof tasks)[number];

    const { people } = await openHouse(db, { capacity: 1, people: 1 });
    const user = { id: people[0] ?? '', role: 'customer', tier: 'free' } as const;
    const cookies = {} as Record<Device, string>;
    for (const [nth, device] of DEVICES.entries()) cookies[device] = await task(nth).sessions.begin(user);

    /** Tries to book an evening with each of these cookies at each task. @returns the places that are the user's then */
    async function tryAll(devices: readonly Device[], cookieOf: (device: Device) => string) {
      const house = await openHouse(db, { capacity: ALL, people: 0 });
      const lines = [{ ticketTypeId: house.ticketTypeId, quantity: 1 }];
      for (const { name, sessions, book } of tasks) {
        for (const device of devices) {
          const caller = await sessions.who(cookieOf(device));
          if (caller) await book(house.eventId, { userId: caller.id, lines });
          stage.emit({ kind: 'request', actor: name, outcome: caller ? 'served' : 'refused', detail: device });
        }
      }
      const taken = await placesTaken(db, house);
      stage.emit({ kind: 'level', name: 'places booked with copied cookies', value: taken, most: ALL });
      return taken;
    }
    const copied = (device: Device) => cookies[device];

    stage.emit({ kind: 'scene', what: 'logged in on three devices' });
    const loggedIn = await tryAll(DEVICES, copied);
    stage.emit({ kind: 'scene', what: 'cookies with a character changed' });
    const forged = await tryAll(DEVICES, (device) => withAnotherFirst(cookies[device]));
    stage.emit({ kind: 'scene', what: 'the phone logs out at task-1' });
    await task(0).sessions.end(cookies.phone);
    const loggedOut = await tryAll(['phone'], copied);
    stage.emit({ kind: 'scene', what: 'the laptop logs out everywhere, at task-2' });
    await task(1).sessions.endAll(user.id, cookies.laptop);
    const everywhere = await tryAll(['laptop', 'tablet'], copied);
    stage.emit({ kind: 'scene', what: 'a deploy: new tasks' });
    tasks = deploy();
    const afterADeploy = await tryAll(DEVICES, copied);
    return { 'logged-in': loggedIn, forged, 'logged-out': loggedOut, everywhere, 'after-a-deploy': afterADeploy };
  },
});

const withAnotherFirst = (cookie: string) => `${cookie.startsWith('A') ? 'B' : 'A'}${cookie.slice(1)}`;
