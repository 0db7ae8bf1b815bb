import type { TextStore } from '../api/attempts.ts';
import { tabMemory } from '../api/tab-memory.ts';

const storeName = 'minitickets:own-runs';
const maxKept = 50;

/** Which runs were started in this tab, also across a reload: all others are somebody's who shared them. */
export function createOwnRuns(store: TextStore | undefined) {
  let ids = (store?.getItem(storeName) ?? '').split(' ').filter(Boolean);
  return {
    has: (id: string): boolean => ids.includes(id),
    add(id: string): void {
      ids = [id, ...ids].slice(0, maxKept);
      try {
        store?.setItem(storeName, ids.join(' '));
      } catch {
        // A full or forbidden store only costs the memory across a reload.
      }
    },
  };
}

export const ownRuns = createOwnRuns(tabMemory);
