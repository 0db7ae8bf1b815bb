import { ladder } from 'virtual:ladder';
import { AllDecisions } from '../decisions/all-decisions.tsx';
import { CodeLines } from '../decisions/code-lines.tsx';
import { CommandLine } from '../decisions/command-line.tsx';
import type { LadderStep } from '../decisions/content.ts';
import { Phrases, Prose, Question } from '../decisions/prose.tsx';
import { Card } from '../interface/card.tsx';
import { Page } from '../interface/page.tsx';

/** Eight limiters, from a published script to the shipped one: a question and the code of each, with the answer folded. */
export function LadderPage() {
  return (
    <Page title={ladder.title} picture={<AllDecisions />} lead={<Question of={ladder.question} />}>
      <Card title="How to read it">
        <Prose blocks={ladder.introduction} />
        <CommandLine command="npm run ladder" />
      </Card>
      {ladder.steps.map((step, index) => (
        <Card key={step.name} title={`${index + 1}. ${step.name}: ${step.title}`}>
          <div className="max-w-3xl text-lg font-semibold">
            <Phrases of={step.question} />
          </div>
          <CodeLines lines={step.lines} />
          <p className="text-sm text-muted wrap-anywhere">
            {step.file} · {step.source}
          </p>
          <Answer step={step} />
        </Card>
      ))}
    </Page>
  );
}

function Answer({ step: { name, answer, laws } }: { step: LadderStep }) {
  const broken = laws.filter(({ reason }) => reason !== undefined);
  const kept = laws.filter(({ reason }) => reason === undefined);
  return (
    <details>
      <summary className="font-semibold">Answer, and the laws that {name} keeps</summary>
      <div className="mt-3 space-y-4">
        <Prose blocks={answer} />
        {broken.length > 0 && (
          <div className="max-w-3xl">
            <h3 className="font-semibold">
              Breaks {broken.length} of {laws.length} laws
            </h3>
            <ul className="mt-1 list-disc space-y-1.5 pl-6">
              {broken.map(({ law, text, reason }) => (
                <li key={text}>
                  Law {law}: {text}. <span className="text-bad">Broken: {reason}.</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="max-w-3xl">
          <h3 className="font-semibold">
            Keeps {kept.length} of {laws.length} laws
          </h3>
          <ul className="mt-1 list-disc space-y-1.5 pl-6">
            {kept.map(({ law, text }) => (
              <li key={text}>
                Law {law}: {text}.
              </li>
            ))}
          </ul>
        </div>
      </div>
    </details>
  );
}
