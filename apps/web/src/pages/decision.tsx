import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { AllDecisions } from '../decisions/all-decisions.tsx';
import { FoldedAnswer, Mark } from '../decisions/answer.tsx';
import { CodeLines } from '../decisions/code-lines.tsx';
import { CommandLine } from '../decisions/command-line.tsx';
import { type Decision, type DecisionSummary, plainText } from '../decisions/content.ts';
import { DifficultyBadge } from '../decisions/difficulty-badge.tsx';
import { LiveExperiment } from '../decisions/live-experiment.tsx';
import { Phrases, Prose, Question } from '../decisions/prose.tsx';
import { RacePlayer } from '../decisions/race-player.tsx';
import { type Guess, YourTurn } from '../decisions/your-turn.tsx';
import { Card } from '../interface/card.tsx';
import { Icon } from '../interface/icon.tsx';
import { Page } from '../interface/page.tsx';

const route = getRouteApi('/decisions/$name');

/** One decision at a time: a guess belongs to its own. */
export function DecisionPage() {
  const { decision } = route.useLoaderData();
  return <OpenedPage key={decision.name} />;
}

/**
 * The question with its constraints and load; then the reader's guess and answer; and, folded until asked for, the answer in
 * 30 seconds, the experiment that proves it, and the details.
 */
function OpenedPage() {
  const { decision, before, after } = route.useLoaderData();
  const [guess, setGuess] = useState<Guess>({ typed: '', isWrong: false });
  const turn = useRef<HTMLFormElement>(null);
  const { run } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={decision.title} picture={<AllDecisions />} lead={<Question of={decision.question} />}>
      <div className="grid items-start gap-6 lg:grid-cols-[10rem_1fr]">
        <OnThisPage hasRace={decision.races.length > 0} />
        <div className="min-w-0 space-y-6">
          <Part id="problem">
            <Card title="Constraints and load" aside={<DifficultyBadge difficulty={decision.difficulty} />}>
              <Prose blocks={decision.constraints} />
              <p className="max-w-3xl">
                <strong>Load.</strong> {decision.load}
              </p>
            </Card>
          </Part>
          <Part id="your-turn">
            <YourTurn decision={decision} guess={guess} onGuess={setGuess} form={turn} />
          </Part>
          <FoldedAnswer name={decision.name} open={run !== undefined}>
            <Part id="in-30-seconds">
              <Card title="In 30 seconds">
                <div className="text-lg">
                  <Prose blocks={decision.inThirtySeconds} />
                </div>
                <p className="max-w-3xl text-muted">
                  Also known as <Phrases of={decision.alsoKnownAs} />
                </p>
                <Mark name={decision.name} />
              </Card>
            </Part>
            <Part id="experiment">
              <LiveExperiment
                decision={decision}
                guess={guess}
                onWrongGuess={() => {
                  setGuess({ ...guess, isWrong: true });
                  turn.current?.querySelector<HTMLInputElement>('[name="predicted"]')?.focus();
                }}
                runId={run}
                onRun={(id) => {
                  navigate({
                    ...(id === undefined ? { search: {} } : { search: { run: id }, hash: 'experiment' }),
                    ...{ replace: true, resetScroll: false, hashScrollIntoView: false },
                  }).catch(() => undefined);
                }}
              />
            </Part>
            {decision.races.length > 0 && (
              <Part id="race">
                <RacePlayer races={decision.races} />
              </Part>
            )}
            <Part id="in-depth">
              <Card title="In depth">
                <Prose blocks={decision.inDepth} />
              </Card>
            </Part>
            <Part id="cost">
              <Card title="Cost, and when to decide differently">
                <Prose blocks={decision.costs} />
              </Card>
            </Part>
            <Part id="next">
              <Card title="Follow-up questions">
                <CounterQuestions decision={decision} />
              </Card>
            </Part>
            <Part id="code">
              <Card title="In the code">
                <ShownRegions decision={decision} />
              </Card>
            </Part>
            <Part id="theory">
              <Card title="Theory and measurements">
                <Prose blocks={decision.theory} />
              </Card>
            </Part>
            <Part id="run">
              <Card title="On the command line">
                <ul className="max-w-3xl space-y-2">
                  {decision.commands.map((command) => (
                    <li key={command}>
                      <CommandLine command={command} />
                    </li>
                  ))}
                </ul>
              </Card>
            </Part>
          </FoldedAnswer>
          <Neighbours before={before} after={after} />
        </div>
      </div>
    </Page>
  );
}

const parts = [
  ['problem', 'Problem'],
  ['your-turn', 'Your turn'],
  ['in-30-seconds', '30 seconds'],
  ['experiment', 'Experiment'],
  ['race', 'Step by step'],
  ['in-depth', 'In depth'],
  ['cost', 'Cost'],
  ['next', 'Follow-up questions'],
  ['code', 'Code'],
  ['theory', 'Theory'],
  ['run', 'Command line'],
] as const;

/** Links to the parts of the page: beside the text on a wide page, above it on a narrow one. */
function OnThisPage({ hasRace }: { hasRace: boolean }) {
  return (
    <nav aria-label="On this page" className="lg:sticky lg:top-6">
      <ul className="flex flex-wrap gap-2 lg:block lg:space-y-1 lg:border-l lg:border-line">
        {parts
          .filter(([id]) => hasRace || id !== 'race')
          .map(([id, words]) => (
            <li key={id}>
              <a
                href={`#${id}`}
                className="inline-flex min-h-9 items-center px-3 text-sm font-medium text-muted underline-offset-4 hover:text-ink hover:underline max-lg:rounded-full max-lg:bg-surface max-lg:inset-ring max-lg:inset-ring-line"
              >
                {words}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

function Part({ id, children }: { id: (typeof parts)[number][0]; children: ReactNode }) {
  return (
    <div id={id} className="scroll-mt-4">
      {children}
    </div>
  );
}

function CounterQuestions({ decision: { counterQuestions } }: { decision: Decision }) {
  return (
    <div className="max-w-3xl divide-y divide-line">
      {counterQuestions.map(({ question, answer }) => (
        <details key={plainText(question)} className="py-3 first:pt-0 last:pb-0">
          <summary className="font-semibold">
            <Phrases of={question} />
          </summary>
          <div className="mt-2">
            <Prose blocks={answer} />
          </div>
        </details>
      ))}
    </div>
  );
}

/** The first region is open, because it implements the decision. */
function ShownRegions({ decision: { code } }: { decision: Decision }) {
  return (
    <div className="space-y-4">
      {code.map(({ file, region, firstLine, lines, what }, nth) => (
        <details key={`${file} ${region}`} open={nth === 0}>
          <summary>
            <span className="font-mono text-sm font-semibold wrap-anywhere">
              {file}, line {firstLine}
            </span>
            <span className="block text-muted">
              <Phrases of={what} />
            </span>
          </summary>
          <div className="mt-2">
            <CodeLines lines={lines} firstLine={firstLine} />
          </div>
        </details>
      ))}
    </div>
  );
}

function Neighbours({ before, after }: { before: DecisionSummary | undefined; after: DecisionSummary | undefined }) {
  return (
    <nav aria-label="Other decisions" className="grid gap-3 sm:grid-cols-2">
      {before && (
        <Link to="/decisions/$name" params={{ name: before.name }} className={neighbourClass}>
          <Icon name="back" />
          <span>
            <span className="block text-sm text-muted">Previous</span>
            <span className="font-semibold">{before.title}</span>
          </span>
        </Link>
      )}
      {after && (
        <Link
          to="/decisions/$name"
          params={{ name: after.name }}
          className={`${neighbourClass} sm:col-start-2 sm:justify-end sm:text-right`}
        >
          <span>
            <span className="block text-sm text-muted">Next</span>
            <span className="font-semibold">{after.title}</span>
          </span>
          <Icon name="next" />
        </Link>
      )}
    </nav>
  );
}

const neighbourClass =
  'flex items-center gap-3 rounded-card bg-surface p-4 inset-ring inset-ring-line hover:inset-ring-accent';
