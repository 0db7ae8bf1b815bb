import { MAX_AGE_MS, toEvent } from '@minitickets/api/caching/shop-window';
import { eventByIdOrSlug } from '@minitickets/api/queries/events';
import type { Event } from '@minitickets/contract';
import type { OpenTask, TaskStores } from './task.ts';

/** Nothing in memory: every reader makes a query. */
export const noCache: OpenTask = ({ db }) => {
  // #region no-cache
  const read = async (id: string) => readEvent(db, id);
  // #endregion
  return { read, readOwn: read, changed: async () => {}, close: () => {} };
};

/** A cache of a second, that each miss fills (cache-aside). It hears what the shipped one hears. */
export const cacheAside =
  (shipped: OpenTask): OpenTask =>
  (task) => {
    const { db, nowMs } = task;
    const kept = new Map<string, { event: Event; atMs: number }>();
    // #region cache-aside
    const read = async (id: string) => {
      const last = kept.get(id);
      if (last && nowMs() - last.atMs < MAX_AGE_MS) return last.event;
      const event = await readEvent(db, id);
      kept.set(id, { event, atMs: nowMs() });
      return event;
    };
    // #endregion
    const { readOwn, changed, close } = shipped(task, () => kept.clear());
    return { read, readOwn, changed, close };
  };

/** Single-flight, for everybody alike: people who edit read it too, and a task hears of its own edits only. */
export const oneForAll: OpenTask = ({ db, nowMs }) => {
  const kept = new Map<string, { event: Promise<Event>; atMs: number }>();
  // #region one-for-all
  const read = async (id: string) => {
    const last = kept.get(id);
    if (last && nowMs() - last.atMs < MAX_AGE_MS) return last.event;
    const event = readEvent(db, id);
    kept.set(id, { event, atMs: nowMs() });
    return event;
  };
  const changed = async (id: string) => void kept.delete(id);
  return { read, readOwn: read, changed, close: () => {} };
  // #endregion
};

async function readEvent(db: TaskStores['db'], id: string) {
  const row = await eventByIdOrSlug(db, id);
  if (!row) throw new Error('the event is gone');
  return toEvent(row);
}
