import type { Redis } from 'ioredis';
import { edits } from '../frame/edits.ts';

/** The script decides, and says what is to be written instead of writing it. */
export const onlyDeciding = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
  {
    from: `if granted then
  for _, write in ipairs(charges) do redis.call(unpack(write)) end
end
return answer`,
    to: 'return { answer, granted and charges[1] }',
  },
);

// #region write
/** A connection on which the task itself writes what the script wants written, with its next command. */
export function writingAfterwards(redis: Redis): Redis {
  const decideAndWrite =
    (command: string) =>
    async (script: string, keyCount: number, key: string, ...values: string[]) => {
      const [answer, write] = (await redis.callBuffer(command, script, keyCount, key, ...values)) as [
        number[],
        Buffer[] | null,
      ];
      const [, , bucket, , expiryMs] = write ?? [];
      if (bucket) await redis.set(key, bucket, 'PX', Number(expiryMs));
      return answer;
    };
  return Object.create(redis, {
    evalsha: { value: decideAndWrite('evalsha') },
    eval: { value: decideAndWrite('eval') },
  });
}
// #endregion
