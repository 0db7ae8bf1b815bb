import type { TextStore } from '../api/tab-memory.ts';
import { tabMemory } from '../api/tab-memory.ts';

const storeName = 'minitickets:own-runs';
const maxKept = 50;

/** Remembers across reloads which runs this tab started. Any other run was shared by someone else. */
export function createOwnRuns(store: TextStore | undefined) {
  let ids = (store?.getItem(storeName) ?? '').split(' ').filter(Boolean);
  return {
    has: (id: string): boolean => ids.includes(id),
    add(id: string): void {
      ids = [id, ...ids].slice(0, maxKept);
      try {
        store?.setItem(storeName, ids.join(' '));
      } catch {
        // Without session storage, runs are forgotten at the next reload.
      }
    },
  };
}

export const ownRuns = createOwnRuns(tabMemory);
