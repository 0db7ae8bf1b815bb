import type { Redis } from 'ioredis';
import { defineExperiment } from '../frame/experiment.ts';
import { exactly } from '../frame/results.ts';
import { shippedWriting } from '../frame/subjects/desks.ts';
import { openEvent, ticketsTaken } from '../frame/subjects/event-on-sale.ts';
import { listPerTask, signedToken } from './naive.ts';
import { type Sessions, shippedSessions } from './sessions.ts';

const TASKS = 3;
const DEVICES = ['phone', 'laptop', 'tablet'] as const;
type Device = (typeof DEVICES)[number];
const ALL = DEVICES.length * TASKS;

/** Starts a task and returns its sessions. */
type StartTask = (redis: Redis) => Sessions;
type Measure = 'logged-in' | 'forged' | 'logged-out' | 'everywhere' | 'after-a-deploy';

const shippedRegion = { file: 'apps/api/src/queries/sessions.ts', region: 'live' };
const naive = (region: string) => ({ file: 'packages/decisions/session-revocation/naive.ts', region });

export default defineExperiment<StartTask, Measure>({
  name: 'session-revocation',
  claim: 'A log-out takes effect on every task with the next request.',
  load: `A user is logged in on ${DEVICES.join(', ')}. A thief has copied all three cookies and tries to book with each at each of ${TASKS} tasks: while the user is logged in; with one character changed; the phone's after it has logged out at the first task; the other two after the laptop has logged out everywhere at the second task; and all of them after a deploy.`,
  measures: {
    'logged-in': `of ${ALL} attempts while logged in, booked`,
    forged: `of ${ALL} attempts with a changed cookie, booked`,
    'logged-out': `of ${TASKS} attempts after the log-out, booked`,
    everywhere: `of ${2 * TASKS} attempts after the log-out everywhere, booked`,
    'after-a-deploy': `of ${ALL} attempts after a deploy, booked`,
  },
  naive: {
    'signed-token': {
      what: 'a signed token (JWT style); nothing is stored',
      subject: signedToken,
      differences: [{ shipped: shippedRegion, instead: naive('signed-token') }],
      mostChangedLines: 28,
      // Nobody can forge it, and nobody can revoke it.
      fails: {
        'logged-in': exactly(ALL),
        forged: exactly(0),
        'logged-out': exactly(TASKS),
        everywhere: exactly(2 * TASKS),
        'after-a-deploy': exactly(ALL),
      },
    },
    'list-per-task': {
      what: 'signed tokens, and a revocation list in each task',
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
    what: 'a random id; the session is in Redis until it ends',
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
    what: 'logging out everywhere ends only the session that asks for it',
    subject: (redis) => {
      const sessions = shippedSessions(redis);
      return { ...sessions, endAll: (_userId, cookie) => sessions.end(cookie) };
    },
  },
  prediction: {
    question: `The laptop has logged out everywhere. How many of ${2 * TASKS} attempts with copied cookies, at ${TASKS} tasks, still book if the cookie is a signed token?`,
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

    const { people } = await openEvent(db, { capacity: 1, people: 1 });
    const user = { id: people[0] ?? '', role: 'customer', tier: 'free', isNew: false } as const;
    const cookies = {} as Record<Device, string>;
    for (const [nth, device] of DEVICES.entries()) cookies[device] = await task(nth).sessions.begin(user);

    /** Tries to book an event with each cookie at each task. @returns the tickets that the user then has */
    async function tryAll(devices: readonly Device[], cookieOf: (device: Device) => string) {
      const sale = await openEvent(db, { capacity: ALL, people: 0 });
      const lines = [{ ticketTypeId: sale.ticketTypeId, quantity: 1 }];
      for (const { name, sessions, book } of tasks) {
        for (const device of devices) {
          const caller = await sessions.who(cookieOf(device));
          if (caller) await book(sale.eventId, { userId: caller.id, lines });
          stage.emit({ kind: 'request', actor: name, outcome: caller ? 'served' : 'refused', detail: device });
        }
      }
      const taken = await ticketsTaken(db, sale);
      stage.emit({ kind: 'level', name: 'tickets booked with copied cookies', value: taken, most: ALL });
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
    stage.emit({ kind: 'scene', what: 'a deploy replaces the tasks' });
    tasks = deploy();
    const afterADeploy = await tryAll(DEVICES, copied);
    return { 'logged-in': loggedIn, forged, 'logged-out': loggedOut, everywhere, 'after-a-deploy': afterADeploy };
  },
});

const withAnotherFirst = (cookie: string) => `${cookie.startsWith('A') ? 'B' : 'A'}${cookie.slice(1)}`;
