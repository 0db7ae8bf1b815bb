import type { LabExperiment } from '@minitickets/contract';
import type { ExperimentResult } from '@minitickets/decisions/frame/results';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isLabAbsent, labQuery, type Run, runQuery, startRun } from '../api/lab-runs.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Field } from '../interface/field.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { readerTime } from '../words/dates.ts';
import { Arms } from './arms.tsx';
import { CommandLine } from './command-line.tsx';
import type { Decision } from './content.ts';
import { FocusNext, KeptFocus } from './kept-focus.tsx';
import { Outcome } from './outcome.tsx';
import { ownRuns } from './own-runs.ts';
import { RunView } from './run-view.tsx';

/**
 * The experiment of a decision: the reader guesses the result, runs the experiment in the lab, and sees the arms and the
 * verdict. Without a lab, the page shows the command to run it.
 * @param runId the run that the page's URL names
 */
export function LiveExperiment({
  decision,
  runId,
  onRun,
}: {
  decision: Decision;
  runId: string | undefined;
  onRun: (runId: string | undefined) => void;
}) {
  const lab = useQuery(labQuery);
  const own = lab.data?.find(({ name }) => name === decision.name);
  return (
    <Card title="The experiment">
      <p className="max-w-3xl text-lg font-medium">{decision.claim}</p>
      <p className="max-w-3xl text-muted">{decision.load}</p>
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
                <Guess decision={decision} ready={own !== undefined} onRun={onRun} />
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

/** Asks for a guess before the run, because readers remember a result that they tried to predict. */
function Guess({
  decision: { name, prediction },
  ready,
  onRun,
}: {
  decision: Decision;
  ready: boolean;
  onRun: (runId: string) => void;
}) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Typed before the scripts were loaded.
    const typedBefore = new FormData(form.current ?? undefined).get('predicted');
    if (typeof typedBefore === 'string') setTyped(typedBefore);
  }, []);
  const starting = useWrite(startRun, (run: Run) => {
    client.setQueryData(runQuery(run.id).queryKey, run);
    ownRuns.add(run.id);
    announce('The experiment was queued.');
    onRun(run.id);
  });
  const start = () => {
    const predicted = typed.trim() === '' ? undefined : Number(typed.trim().replace(',', '.'));
    const isValid = predicted === undefined || (Number.isFinite(predicted) && Math.abs(predicted) <= maxPredicted);
    setWrong(!isValid);
    if (isValid) starting.run(predicted === undefined ? { experiment: name } : { experiment: name, predicted });
  };
  return (
    <form
      ref={form}
      className="max-w-3xl space-y-3 rounded-control bg-sunken p-4"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (ready) start();
      }}
    >
      <div className="grid items-start gap-3 sm:grid-cols-[1fr_auto]">
        <Field
          label={prediction.question}
          name="predicted"
          inputMode="decimal"
          autoComplete="off"
          hint="Optional: your guess is compared with the result."
          error={wrong ? 'Enter a number, such as 20.' : undefined}
          value={typed}
          onChange={setTyped}
        />
        <div className="sm:pt-8">
          <Button type="submit" wide busy={starting.busy} busyText="Queueing" blocked={!ready}>
            Run experiment
          </Button>
        </div>
      </div>
      {starting.problem && <ProblemNotice problem={starting.problem} action="changing" retry={starting.retry} />}
    </form>
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
