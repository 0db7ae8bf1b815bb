import { summaries } from 'virtual:decisions';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { useState } from 'react';
import { isLabAbsent, labQuery, type Run } from '../api/lab-runs.ts';
import type { DecisionSummary } from '../decisions/content.ts';
import { DifficultyBadge } from '../decisions/difficulty-badge.tsx';
import { grouped, readingPaths } from '../decisions/groups.ts';
import { Progress } from '../decisions/progress.tsx';
import { Phrases } from '../decisions/prose.tsx';
import { matching, type Wanted } from '../decisions/search.ts';
import { own, type Studied, type StudyState } from '../decisions/study.ts';
import { useStudy } from '../decisions/use-study.ts';
import { Field } from '../interface/field.tsx';
import { Icon } from '../interface/icon.tsx';
import { Page } from '../interface/page.tsx';
import { Select } from '../interface/select.tsx';
import { readerTime } from '../words/dates.ts';

/** Lists every decision with its question and the verdict of its experiment's last run. */
export function DecisionsPage() {
  const lab = useQuery(labQuery);
  const lastRuns = new Map(lab.data?.map(({ name, lastRun }) => [name, lastRun]));
  const absent = lab.error !== null && isLabAbsent(lab.error);
  const study = useStudy();
  const [wanted, setWanted] = useState<Wanted>({ text: '', difficulty: 'any' });
  const found = matching(summaries, wanted);
  return (
    <Page
      title="Decisions"
      lead="Each decision asks a design question, answers it in 30 seconds and in depth, and shows the code. Its experiment puts the naive and the shipped design under the same load and reads the verdict from the database."
    >
      <nav aria-label="Reading paths" className="space-y-3 rounded-card bg-accent-soft p-4 sm:p-5">
        <h2 className="font-bold">Reading paths</h2>
        <div className="grid gap-3 md:grid-cols-3">
          {readingPaths.map((path) => (
            <ReadingPath key={path.title} {...path} decisions={study.decisions} />
          ))}
        </div>
        <p className="text-sm">
          Guess, answer in your own words, then compare.{' '}
          {absent
            ? 'The lab is not running here. Start it with npm start, or list all experiments with npm run experiment -- --list.'
            : 'Each experiment takes a few seconds on a real PostgreSQL and Redis.'}
        </p>
        <p className="mt-1 text-sm">
          To compare rate limiters, climb{' '}
          <Link to="/decisions/ladder" className="font-semibold underline underline-offset-4">
            the ladder
          </Link>
          : eight of them, from a published script with three faults to ours.
        </p>
      </nav>
      <Progress />
      <search className="grid max-w-3xl items-start gap-3 sm:grid-cols-[1fr_12rem]">
        <Field
          label="Search decisions"
          name="search"
          autoComplete="off"
          value={wanted.text}
          onChange={(text) => setWanted({ ...wanted, text: text.slice(0, 100) })}
        />
        <Select
          label="Difficulty"
          options={difficultyOptions}
          value={wanted.difficulty}
          onChange={(difficulty) => setWanted({ ...wanted, difficulty })}
        />
        <p role="status" className="min-h-6 text-sm text-muted sm:col-span-2">
          {found.length < summaries.length && `${found.length} of ${summaries.length} decisions match.`}
        </p>
      </search>
      {grouped(found).map(({ title, text, decisions }) => (
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
                studied={own(study.decisions, decision.name)}
                lastRun={lastRuns.get(decision.name) ?? undefined}
              />
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
}

const difficultyOptions = [
  ['any', 'any'],
  ['easy', 'easy'],
  ['medium', 'medium'],
  ['hard', 'hard'],
] as const;

/** The decisions of a path in their order, with a tick at those whose answer the reader has seen. */
function ReadingPath({
  title,
  names,
  decisions,
}: {
  title: string;
  names: readonly string[];
  decisions: StudyState['decisions'];
}) {
  const steps = names.flatMap((name) => summaries.find((one) => one.name === name) ?? []);
  return (
    <div className="rounded-control bg-surface p-3 inset-ring inset-ring-line">
      <h3 className="font-semibold">{title}</h3>
      <ol className="mt-1">
        {steps.map((step, index) => (
          <li key={step.name}>
            <Link
              to="/decisions/$name"
              params={{ name: step.name }}
              className="flex min-h-11 items-center gap-2.5 py-1 underline-offset-4 hover:underline"
            >
              <span className="grid size-6 shrink-0 place-items-center rounded-full bg-accent text-xs text-on-accent">
                {own(decisions, step.name).revealed ? <Icon name="check" className="size-4" /> : index + 1}
              </span>
              {step.title}
              {own(decisions, step.name).revealed && <span className="sr-only">(done)</span>}
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

function DecisionItem({
  decision: { name, title, question, difficulty },
  studied,
  lastRun,
}: {
  decision: DecisionSummary;
  studied: Studied;
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
      <p className="mt-auto flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <DifficultyBadge difficulty={difficulty} />
        {studiedWords(studied)}
      </p>
      <p className="min-h-6 text-sm text-muted">
        {lastRun ? <LastVerdict run={lastRun} /> : lastRun === null && 'Not run here yet'}
      </p>
    </li>
  );
}

function studiedWords({ answer, revealed, mark }: Studied): string | undefined {
  if (mark !== undefined) return mark === 'right' ? 'You had it' : 'You missed it';
  if (revealed) return 'Answer seen';
  return answer ? 'Answered' : undefined;
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
