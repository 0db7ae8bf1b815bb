import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { cancelRun, hasEnded, type Run, runQuery } from '../api/lab-runs.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { CopyButton } from '../interface/copy-button.tsx';
import { Loaded } from '../interface/loaded.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { Skeleton } from '../interface/skeleton.tsx';
import { readerTime } from '../words/dates.ts';
import { Arms, RunningArms } from './arms.tsx';
import type { Decision } from './content.ts';
import { FocusNext } from './kept-focus.tsx';
import { Outcome } from './outcome.tsx';
import { ownRuns } from './own-runs.ts';
import { useRun } from './use-run.ts';
import { guessSentence, guessWords, verdictSentences } from './verdict-words.ts';

/** One run of an experiment: queued, running, or its result. Its URL shows the same run to everyone. */
export function RunView({ decision, runId, onOther }: { decision: Decision; runId: string; onOther: () => void }) {
  const { query, model, summary, lost } = useRun(runId, useCallback(announceVerdict, []));
  return (
    <Loaded
      query={query}
      // As high as the screen, so that the content below does not move into view and out again.
      waiting={<Skeleton className="h-screen w-full" />}
      missing={<RunNotFound onOther={onOther} decision={decision} />}
    >
      {(run) => {
        const results = run.result?.arms ?? summary.arms.flatMap(({ result }) => result ?? []);
        return run.experiment === decision.name ? (
          <>
            {!ownRuns.has(run.id) && <Shared run={run} />}
            <RunStatus run={run} />
            {run.result && (
              <>
                <FocusNext>
                  <h3 tabIndex={-1} className="font-bold">
                    Verdict
                  </h3>
                </FocusNext>
                <Outcome result={run.result} own={ownRuns.has(run.id)}>
                  <AfterTheRun onOther={onOther} onReplay={summary.arms.length > 0 ? model.replay : undefined} />
                </Outcome>
              </>
            )}
            {hasEnded(run) && !run.result && (
              <FocusNext>
                <Button look="quiet" onClick={onOther}>
                  Run again
                </Button>
              </FocusNext>
            )}
            {lost && summary.arms.length === 0 && hasEnded(run) ? (
              <Arms arms={decision.arms} results={results} />
            ) : (
              <RunningArms arms={decision.arms} results={results} model={model} summary={summary} />
            )}
          </>
        ) : (
          <RunNotFound onOther={onOther} decision={decision} />
        );
      }}
    </Loaded>
  );
}

/** Says that someone else started this run. */
function Shared({ run: { queuedAt } }: { run: Run }) {
  return (
    <Notice tone="calm" title="Shared run">
      <p>Someone else started this run on {readerTime(queuedAt)}. The guess is theirs.</p>
    </Notice>
  );
}

function RunStatus({ run }: { run: Run }) {
  const client = useQueryClient();
  const cancelling = useWrite(cancelRun, (cancelled: Run) => {
    client.setQueryData(runQuery(cancelled.id).queryKey, cancelled);
    announce('The run was cancelled.');
  });
  if (run.status === 'failed') {
    return (
      <Notice tone="bad" title="The run failed">
        <p>{run.failure ?? 'It ended without a verdict. Run it again.'}</p>
      </Notice>
    );
  }
  if (run.status === 'cancelled') return <Notice tone="calm" title="The run was cancelled" />;
  if (run.status === 'finished') return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-control bg-accent-soft p-4">
      <p className="font-semibold">
        {statusWords(run)}
        {run.predicted !== null && (
          <span className="font-normal"> {guessWords(run.predicted, ownRuns.has(run.id))}.</span>
        )}
      </p>
      <FocusNext>
        <Button look="quiet" busy={cancelling.busy} busyText="Cancelling" onClick={() => cancelling.run(run.id)}>
          Cancel run
        </Button>
      </FocusNext>
      {cancelling.problem && <ProblemNotice problem={cancelling.problem} action="changing" retry={cancelling.retry} />}
    </div>
  );
}

function statusWords({ status, position }: Run): string {
  if (status === 'running') return 'Running: the arms get the same load, one after another.';
  if (position === null || position <= 1) return 'Queued: next in line.';
  return `Queued: ${position - 1} ahead.`;
}

function AfterTheRun({ onOther, onReplay }: { onOther: () => void; onReplay: (() => void) | undefined }) {
  return (
    <div className="flex flex-wrap gap-2 pt-1">
      <Button onClick={onOther}>Guess and run again</Button>
      {onReplay && (
        <Button look="quiet" onClick={onReplay}>
          Replay
        </Button>
      )}
      <CopyButton text={window.location.href} what="a link to this run" />
    </div>
  );
}

function RunNotFound({ onOther, decision }: { onOther: () => void; decision: Decision }) {
  return (
    <>
      <Notice tone="calm" title="This run is no longer available">
        <p>
          The lab keeps only its latest runs, and a link works only where the run was made. Run the experiment yourself.
        </p>
        <FocusNext>
          <Button look="quiet" onClick={onOther}>
            Go to experiment
          </Button>
        </FocusNext>
      </Notice>
      <Arms arms={decision.arms} />
    </>
  );
}

function announceVerdict({ id, result, failure }: Run) {
  if (!result) {
    if (failure !== null) announce(`The run failed. ${failure}`);
    return;
  }
  const guess = result.prediction ? `${guessSentence(result.prediction, ownRuns.has(id))} ` : '';
  announce(`${result.proved ? 'Proved' : 'Not proved'}. ${guess}${verdictSentences(result).join(' ')}`);
}
