import { races as atomicOrNot } from '../../atomic-or-not/race.ts';
import { races as neverOversell } from '../../never-oversell/race.ts';
import { type Arena, openStage, type Stage } from '../arena.ts';
import type { Race, RaceFile } from '../interleaving/race.ts';

type Recorded = Pick<Race, 'actors' | 'steps' | 'ending'>;
type Recording = { arm: string; title: string; record: (stage: Stage) => Promise<Recorded> };

/** The decisions with recorded races. */
export const recordings: Record<string, Recording[]> = {
  'never-oversell': neverOversell,
  'atomic-or-not': atomicOrNot,
};

/** A longer race is stuck. */
const DEADLINE_MS = 20_000;

/** Runs a decision's races and records each step. @throws if one doesn't finish */
export async function recordRaces(decision: string, arena: Arena): Promise<RaceFile> {
  const races: Race[] = [];
  for (const { arm, title, record } of recordings[decision] ?? []) {
    const recordedAt = new Date().toISOString();
    const stage = openStage(arena, { signal: AbortSignal.timeout(DEADLINE_MS), emit: () => {} });
    try {
      races.push({ ...{ decision, arm, title, recordedAt, stores: arena.description }, ...(await record(stage)) });
    } finally {
      await stage.close();
    }
  }
  return { races };
}
