import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { hasEnded, labQuery, type Run, runQuery } from '../api/lab-runs.ts';
import { announce } from '../interface/announcer.tsx';
import { followRun } from './follow-run.ts';
import { createRunModel } from './run-model.ts';

/**
 * A run as the lab has it, and what it tells while it happens. Replayed in the same way when it is long over.
 * @param onEnd told when it ends while somebody looks
 */
export function useRun(id: string, onEnd: (run: Run) => void) {
  const client = useQueryClient();
  const query = useQuery(runQuery(id));
  const [model] = useState(() => createRunModel(announce));
  const summary = useSyncExternalStore(model.subscribe, model.read, model.read);
  const [lost, setLost] = useState(false);
  const isKnown = query.data !== undefined;
  const wasUnderWay = useRef<boolean>(false);

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
      wasUnderWay.current = true;
    } else if (wasUnderWay.current) {
      wasUnderWay.current = false;
      onEnd(run);
      client.invalidateQueries({ queryKey: labQuery.queryKey }).catch(() => undefined);
    }
  }, [run, onEnd, client]);

  return { query, model, summary, lost };
}
