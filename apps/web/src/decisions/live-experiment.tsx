import type { LabExperiment } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isLabAbsent, labQuery, type Run, runQuery, startRun } from '../api/lab-runs.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { readerTime } from '../words/dates.ts';
import { Arms } from './arms.tsx';
import { CommandLine } from './command-line.tsx';
import type { Decision } from './content.ts';
import { FocusNext, KeptFocus } from './kept-focus.tsx';
import { Outcome } from './outcome.tsx';
import { ownRuns } from './own-runs.ts';
import { RunView } from './run-view.tsx';
import type { Guess } from './your-turn.tsx';

/**
 * The experiment of a decision: the reader runs it in the lab, and sees the arms, the verdict, and the guess compared with
 * the result. Without a lab, the page shows the command to run it.
 * @param runId the run that the page's URL names
 */
export function LiveExperiment({
  decision,
  guess,
  onWrongGuess,
  runId,
  onRun,
}: {
  decision: Decision;
  guess: Guess;
  /** Called instead of a run if the guess is no number. */
  onWrongGuess: () => void;
  runId: string | undefined;
  onRun: (runId: string | undefined) => void;
}) {
  const lab = useQuery(labQuery);
  const own = lab.data?.find(({ name }) => name === decision.name);
  return (
    <Card title="The experiment">
      <p className="max-w-3xl text-lg font-medium">{decision.claim}</p>
      <KeptFocus>
        {runId === undefined ? (
          <>
            {lab.error ? (
              isLabAbsent(lab.error) ? (
                <NoLab name={decision.name} />
              ) : (
                <ProblemNotice
                  problem={lab.error}
                  action="reading"
                  automatic={lab.error.isTemporary}
                  retry={() => void lab.refetch()}
                />
              )
            ) : (
              <FocusNext>
                <Start
                  name={decision.name}
                  ready={own !== undefined}
                  guess={guess}
                  onWrongGuess={onWrongGuess}
                  onRun={onRun}
                />
              </FocusNext>
            )}
            <LastRun decision={decision} lastRun={own?.lastRun} />
          </>
        ) : (
          <RunView key={runId} decision={decision} runId={runId} onOther={() => onRun(undefined)} />
        )}
      </KeptFocus>
    </Card>
  );
}

function Start({
  name,
  ready,
  guess,
  onWrongGuess,
  onRun,
}: {
  name: string;
  ready: boolean;
  guess: Guess;
  onWrongGuess: () => void;
  onRun: (runId: string) => void;
}) {
  const client = useQueryClient();
  const starting = useWrite(startRun, (run: Run) => {
    client.setQueryData(runQuery(run.id).queryKey, run);
    ownRuns.add(run.id);
    announce('The experiment was queued.');
    onRun(run.id);
  });
  const typed = guess.typed.trim();
  const start = () => {
    const predicted = typed === '' ? undefined : Number(typed.replace(',', '.'));
    if (predicted === undefined) starting.run({ experiment: name });
    else if (Number.isFinite(predicted) && Math.abs(predicted) <= maxPredicted)
      starting.run({ experiment: name, predicted });
    else onWrongGuess();
  };
  return (
    <div className="max-w-3xl space-y-3 rounded-control bg-sunken p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="font-semibold">{typed === '' ? 'You have not guessed yet.' : `Your guess: ${typed}`}</p>
        <Button busy={starting.busy} busyText="Queueing" blocked={!ready} onClick={start}>
          Run experiment
        </Button>
      </div>
      {starting.problem && <ProblemNotice problem={starting.problem} action="changing" retry={starting.retry} />}
    </div>
  );
}

/** The bound of the contract's schema. */
const maxPredicted = 1e9;

function NoLab({ name }: { name: string }) {
  return (
    <Notice tone="calm" title="The lab is not running">
      <p>
        The lab, which runs experiments, is part of <code className="font-mono">npm start</code> and off in production.
        You can run the same experiment on the command line:
      </p>
      <CommandLine command={`npm run experiment -- ${name}`} />
    </Notice>
  );
}

/**
 * The arms, with the results of the last run. They are hidden at first, because they would give away the answer.
 * @param lastRun null if it never ran here; undefined while unknown
 */
function LastRun({
  decision,
  lastRun,
}: {
  decision: Decision;
  lastRun: LabExperiment<ExperimentResult>['lastRun'] | undefined;
}) {
  const [shown, setShown] = useState(false);
  const result = lastRun?.result;
  return (
    <>
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2">
        {lastRun === null && <p className="text-muted">Not run here yet.</p>}
        {result && (
          <>
            <p className="text-muted">
              Last run on {readerTime(lastRun?.endedAt ?? result.ranAt)}: {result.proved ? 'proved' : 'not proved'}.
            </p>
            <Button look="quiet" onClick={() => setShown(!shown)}>
              {shown ? 'Hide results' : 'Show results'}
            </Button>
          </>
        )}
      </div>
      {shown && result && <Outcome result={result} />}
      <Arms arms={decision.arms} results={shown ? (result?.arms ?? []) : []} />
    </>
  );
}
