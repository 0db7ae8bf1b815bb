import { readBucket } from '@minitickets/api/queries/limit-buckets';
import { takeToken } from '@minitickets/api/queries/rate-limits';
import type { Redis } from 'ioredis';
import type { Stage } from '../frame/arena.ts';
import { edited } from '../frame/edits.ts';
import { recordSteps, type TakeTurn } from '../frame/interleaving/race.ts';
import { readExcerpt } from '../frame/shipped-source.ts';
import { withEditedScripts } from '../frame/subjects/altered-stores.ts';
import { plainLimit } from '../frame/subjects/plain-limit.ts';
import { onlyDeciding, writingAfterwards } from './naive.ts';

/** No refill during the race. */
const limit = plainLimit({ capacity: 1, refillIntervalMs: 3_600_000 });
const BUCKET = 'race';

/** Two calls for the last token, at two tasks. */
export const races = [
  {
    arm: 'decide-then-write',
    title: 'Reads and decides in one command, writes in the next',
    record: (stage: Stage) =>
      record(stage, edited(scriptText('charge'), onlyDeciding), (redis) =>
        withEditedScripts(writingAfterwards(redis), onlyDeciding),
      ),
  },
  {
    arm: 'shipped',
    title: 'Reads, decides and writes in one script',
    record: (stage: Stage) => record(stage, scriptText('charge'), (redis) => redis),
  },
];

const actors = [
  { name: 'A', what: 'wants the last token, at task 1' },
  { name: 'B', what: 'wants the last token, at task 2' },
];

function scriptText(region: string) {
  return readExcerpt({ file: 'apps/api/src/queries/rate-limits.lua', region }).text;
}

async function record(stage: Stage, charge: string, connect: (redis: Redis) => Redis) {
  const observer = await stage.connectRedis();
  const tasks = await stage.tasks(actors.length);
  // Loads the script into Redis's cache, so that the race has no NOSCRIPT round trip.
  await takeToken(connect(observer), { bucket: 'before the race', limit });

  const answers: string[] = [];
  const script = `EVALSHA rate-limits.lua\n…\n${scriptText('verdict')}\n…\n${charge}`;
  const steps = await recordSteps(
    actors.map(({ name }, index) => ({
      name,
      async run(takeTurn) {
        const view = commandByCommand(tasks[index]?.redis as Redis, takeTurn, script);
        const { allowed } = await takeToken(connect(view), { bucket: BUCKET, limit });
        answers.push(`${name} is ${allowed ? 'served' : 'refused'}`);
      },
    })),
    {
      // Redis runs one command after the other and has no locks to wait for.
      isBlocked: async () => false,
      async look() {
        const bucket = await readBucket(observer, BUCKET);
        const tokens =
          bucket.kind === 'stored' ? Math.floor(bucket.parts / (limit.refillIntervalMs * 1000)) : limit.capacity;
        return { row: { tokens, stored: bucket.kind === 'stored' ? 'yes' : 'no; a new bucket is full' }, locks: [] };
      },
    },
  );
  const served = answers.filter((answer) => answer.endsWith('served')).length;
  return {
    actors,
    steps,
    ending: `${answers.toSorted().join(', ')}: calls allowed: ${served}, tokens in the bucket: 1.`,
  };
}

/** Wraps a connection so that each command waits for its turn. */
function commandByCommand(redis: Redis, takeTurn: TakeTurn, script: string): Redis {
  const sendCommand = async (...[command, stream]: Parameters<Redis['sendCommand']>) => {
    const isScript = /^eval/i.test(command.name);
    let answer: unknown;
    await takeTurn({
      what: isScript ? 'runs the script' : 'writes the state that the script returned',
      statement: isScript ? script : 'SET the bucket without the token, PX its expiry',
      async perform() {
        answer = await redis.sendCommand(command, stream);
        return isScript ? verdictIn(answer) : String(answer);
      },
    });
    return answer;
  };
  return Object.create(redis, { sendCommand: { value: sendCommand } }) as Redis;
}

/** Reads the verdict: the first packed number, 0 if the call is served. */
function verdictIn(answer: unknown) {
  const packed = (Array.isArray(answer) ? answer[0] : answer) as Buffer;
  return packed.readDoubleLE(0) === 0 ? 'served' : 'refused: empty';
}
