import type { Redis } from 'ioredis';
import { edits } from '../frame/edits.ts';

/** The script decides, and says what is to be written instead of writing it. */
export const onlyDeciding = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
  {
    from: 'for _, write in ipairs(charges) do redis.call(unpack(write)) end',
    to: 'return { answer, charges[1] }',
  },
);

/** A connection on which the task writes what the script wants written. */
export function writingAfterwards(redis: Redis): Redis {
  const runAndWrite =
    (command: string) =>
    async (script: string, keyCount: number, key: string, ...values: string[]) => {
      const reply = (await redis.callBuffer(command, script, keyCount, key, ...values)) as number[] | ToWrite;
      if (!isToWrite(reply)) return reply;
      const [answer, [, , bucket, , expiryMs]] = reply;
      // #region write
      await redis.set(key, bucket, 'PX', Number(expiryMs));
      // #endregion
      return answer;
    };
  return Object.create(redis, { evalsha: { value: runAndWrite('evalsha') }, eval: { value: runAndWrite('eval') } });
}

/** An answer, and the command that is to follow: SET, the bucket's key, what is to be in it, PX, and for how long. */
type ToWrite = [number[], [Buffer, Buffer, Buffer, Buffer, Buffer]];
const isToWrite = (reply: number[] | ToWrite): reply is ToWrite => Array.isArray(reply[0]);
