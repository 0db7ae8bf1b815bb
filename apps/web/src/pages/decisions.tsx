import { summaries } from 'virtual:decisions';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { isLabAbsent, labQuery, type Run } from '../api/lab-runs.ts';
import type { DecisionSummary } from '../decisions/content.ts';
import { beginWith, grouped } from '../decisions/groups.ts';
import { Phrases } from '../decisions/prose.tsx';
import { Icon } from '../interface/icon.tsx';
import { Page } from '../interface/page.tsx';
import { readerTime } from '../words/dates.ts';

/** Every decision with its question, and what its experiment came to when it last ran. */
export function DecisionsPage() {
  const lab = useQuery(labQuery);
  const lastRuns = new Map(lab.data?.map(({ name, lastRun }) => [name, lastRun]));
  const absent = lab.error !== null && isLabAbsent(lab.error);
  const begin = beginWith.flatMap((name) => summaries.find((one) => one.name === name) ?? []);
  return (
    <Page
      title="Decisions"
      lead="Each asks a question of the design, answers it in 30 seconds or in depth, shows the line of code that carries the answer, and proves it: the naive design and the shipped one get the same load, and the stores say which of them holds."
    >
      <nav aria-label="Where to begin" className="rounded-card bg-accent-soft p-4 sm:p-5">
        <p className="font-semibold">Where to begin</p>
        <ol className="mt-3 grid gap-3 sm:grid-cols-2">
          {begin.map(({ name, title }, index) => (
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
          Guess first, then run it.{' '}
          {absent
            ? 'There is no lab here: npm start brings one, and npm run experiment -- --list names all experiments.'
            : 'Each experiment takes seconds, on real PostgreSQL and Redis.'}
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
  /** Null if it never ran here; undefined if there is nobody who would know. */
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
