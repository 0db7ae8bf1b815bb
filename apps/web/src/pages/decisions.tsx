import { summaries } from 'virtual:decisions';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { isLabAbsent, labQuery, type Run } from '../api/lab-runs.ts';
import type { DecisionSummary } from '../decisions/content.ts';
import { grouped, startWith } from '../decisions/groups.ts';
import { Phrases } from '../decisions/prose.tsx';
import { Icon } from '../interface/icon.tsx';
import { Page } from '../interface/page.tsx';
import { readerTime } from '../words/dates.ts';

/** Lists every decision with its question and the verdict of its experiment's last run. */
export function DecisionsPage() {
  const lab = useQuery(labQuery);
  const lastRuns = new Map(lab.data?.map(({ name, lastRun }) => [name, lastRun]));
  const absent = lab.error !== null && isLabAbsent(lab.error);
  const firstDecisions = startWith.flatMap((name) => summaries.find((one) => one.name === name) ?? []);
  return (
    <Page
      title="Decisions"
      lead="Each decision asks a design question, answers it in 30 seconds and in depth, and shows the code. Its experiment puts the naive and the shipped design under the same load and reads the verdict from the database."
    >
      <nav aria-label="Where to start" className="rounded-card bg-accent-soft p-4 sm:p-5">
        <p className="font-semibold">Where to start</p>
        <ol className="mt-3 grid gap-3 sm:grid-cols-2">
          {firstDecisions.map(({ name, title }, index) => (
            <li key={name}>
              <Link
                to="/decisions/$name"
                params={{ name }}
                className="flex h-full min-h-11 items-center gap-3 rounded-control bg-surface px-3 py-2.5 font-semibold inset-ring inset-ring-line hover:inset-ring-accent"
              >
                <span className="grid size-7 shrink-0 place-items-center rounded-full bg-accent text-sm text-on-accent">
                  {index + 1}
                </span>
                {title}
              </Link>
            </li>
          ))}
        </ol>
        <p className="mt-3 text-sm">
          Guess the result first, then run the experiment.{' '}
          {absent
            ? 'The lab is not running here. Start it with npm start, or list all experiments with npm run experiment -- --list.'
            : 'Each takes a few seconds on a real PostgreSQL and Redis.'}
        </p>
        <p className="mt-1 text-sm">
          To compare rate limiters, climb{' '}
          <Link to="/decisions/ladder" className="font-semibold underline underline-offset-4">
            the ladder
          </Link>
          : eight of them, from a published script with three faults to ours.
        </p>
      </nav>
      {grouped(summaries).map(({ title, text, decisions }) => (
        <section key={title} className="space-y-3">
          <div>
            <h2 className="text-xl font-bold">{title}</h2>
            <p className="text-muted">{text}</p>
          </div>
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {decisions.map((decision) => (
              <DecisionItem
                key={decision.name}
                decision={decision}
                lastRun={lastRuns.get(decision.name) ?? undefined}
              />
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
}

function DecisionItem({
  decision: { name, title, question },
  lastRun,
}: {
  decision: DecisionSummary;
  /** Null if it never ran here; undefined while unknown or without a lab. */
  lastRun: Run | null | undefined;
}) {
  return (
    <li className="relative flex flex-col gap-2 rounded-card bg-surface p-4 inset-ring inset-ring-line hover:inset-ring-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-3 has-focus-visible:outline-accent sm:p-5">
      <h3 className="text-lg font-bold">
        <Link
          to="/decisions/$name"
          params={{ name }}
          className="after:absolute after:inset-0 after:rounded-card focus-visible:outline-none"
        >
          {title}
        </Link>
      </h3>
      <p className="text-muted">
        <Phrases of={question} />
      </p>
      <p className="mt-auto min-h-6 text-sm text-muted">
        {lastRun ? <LastVerdict run={lastRun} /> : lastRun === null && 'Not run here yet'}
      </p>
    </li>
  );
}

function LastVerdict({ run: { proved, endedAt } }: { run: Run }) {
  return (
    <span className={clsx('inline-flex items-center gap-1.5 font-medium', proved ? 'text-good' : 'text-bad')}>
      <Icon name={proved ? 'check' : 'cross'} className="size-4" />
      {proved ? 'Proved' : 'Not proved'}
      {endedAt && <span className="font-normal text-muted">{readerTime(endedAt)}</span>}
    </span>
  );
}
