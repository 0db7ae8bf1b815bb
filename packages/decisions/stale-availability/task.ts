import type { Database } from '@minitickets/api/db/client';
import type { Event } from '@minitickets/contract';
import type { Redis } from 'ioredis';

/** What a task has: its stores, and a clock that the experiment moves. */
export type TaskStores = { db: Database; redis: Redis; nowMs: () => number };
/** A task's reads of an event: by anybody, and by a caller who may edit it; and what it does after an edit. */
export type Task = {
  read: (id: string) => Promise<Event>;
  readOwn: (id: string) => Promise<Event>;
  changed: (id: string) => Promise<void>;
  close: () => void;
};
/** @param onMessage called for every message about events */
export type OpenTask = (stores: TaskStores, onMessage?: () => void) => Task;
