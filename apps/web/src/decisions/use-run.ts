import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { hasEnded, labQuery, type Run, runQuery } from '../api/lab-runs.ts';
import { announce } from '../interface/announcer.tsx';
import { followRun } from './follow-run.ts';
import { createRunModel } from './run-model.ts';

/**
 * Loads a run and streams its events, live or replayed after its end.
 * @param onEnd called when the run ends while this page is open
 */
export function useRun(id: string, onEnd: (run: Run) => void) {
  const client = useQueryClient();
  const query = useQuery(runQuery(id));
  const [model] = useState(() => createRunModel(announce));
  const summary = useSyncExternalStore(model.subscribe, model.read, model.read);
  const [lost, setLost] = useState(false);
  const isKnown = query.data !== undefined;
  const wasActive = useRef<boolean>(false);

  useEffect(() => {
    if (!isKnown) return;
    return followRun(id, {
      run(run) {
        client.setQueryData(runQuery(id).queryKey, run);
      },
      experiment: model.take,
      thinned: model.takeThinning,
      lost: () => setLost(true),
    });
  }, [id, isKnown, client, model]);

  const run = query.data;
  useEffect(() => {
    if (!run) return;
    if (!hasEnded(run)) {
      wasActive.current = true;
    } else if (wasActive.current) {
      wasActive.current = false;
      onEnd(run);
      client.invalidateQueries({ queryKey: labQuery.queryKey }).catch(() => undefined);
    }
  }, [run, onEnd, client]);

  return { query, model, summary, lost };
}
