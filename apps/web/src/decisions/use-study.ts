import { useSyncExternalStore } from 'react';
import { browserMemory } from '../api/tab-memory.ts';
import { createStudy, nothingStudied, type StudyState } from './study.ts';

/** This browser's reader. */
export const study = createStudy(browserMemory);

/** Returns what this reader has done so far; while hydrating, what a new reader has. */
export const useStudy = (): StudyState => useSyncExternalStore(subscribe, study.read, () => nothingStudied);

function subscribe(listener: () => void) {
  window.addEventListener('storage', study.reload);
  const unsubscribe = study.subscribe(listener);
  return () => {
    window.removeEventListener('storage', study.reload);
    unsubscribe();
  };
}
