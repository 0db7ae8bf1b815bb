import type { Redis } from 'ioredis';
import { edits } from '../frame/edits.ts';

/** The script decides and returns the new state instead of writing it. */
export const onlyDeciding = edits(
  { file: 'apps/api/src/queries/rate-limits.lua', region: 'charge' },
  {
    from: `for _, charge in ipairs(charges) do redis.call('SET', charge[1], charge[2], 'PX', charge[3]) end`,
    to: `return { answer[1], unpack(charges[1]) }`,
  },
);

/** Wraps a connection so that the task writes what the script returned. */
export function writingAfterwards(redis: Redis): Redis {
  const sendCommand = async (...[command, stream]: Parameters<Redis['sendCommand']>) => {
    const reply = await redis.sendCommand(command, stream);
    if (!Array.isArray(reply)) return reply;
    const [answer, name, bucket, expiryMs] = reply as [Buffer, Buffer, Buffer, number];
    const key = String(name).slice(redis.options.keyPrefix?.length);
    // #region write
    await redis.set(key, bucket, 'PX', expiryMs);
    // #endregion
    return answer;
  };
  return Object.create(redis, { sendCommand: { value: sendCommand } }) as Redis;
}
