import { summaries } from 'virtual:decisions';
import { AllDecisions } from '../decisions/all-decisions.tsx';
import { grouped } from '../decisions/groups.ts';
import { Phrases, Prose } from '../decisions/prose.tsx';
import { Button } from '../interface/button.tsx';
import { Page } from '../interface/page.tsx';

/** Every question with its answer in 30 seconds, to print or to read in one go. */
export function AnswersPage() {
  return (
    <Page
      title="All answers in 30 seconds"
      picture={
        <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
          <AllDecisions />
          <Button look="quiet" onClick={() => window.print()}>
            Print
          </Button>
        </div>
      }
    >
      {grouped(summaries).map(({ title, decisions }) => (
        <section key={title} className="space-y-4">
          <h2 className="text-xl font-bold break-after-avoid">{title}</h2>
          <ul className="grid gap-4 lg:grid-cols-2 print:grid-cols-2 print:gap-x-6 print:text-xs">
            {decisions.map((decision) => (
              <li
                key={decision.name}
                className="space-y-1.5 rounded-card bg-surface p-4 inset-ring inset-ring-line break-inside-avoid print:p-0 print:inset-ring-0"
              >
                <h3 className="font-bold">{decision.title}</h3>
                <p className="text-muted italic">
                  <Phrases of={decision.question} />
                </p>
                <Prose blocks={decision.inThirtySeconds} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Page>
  );
}
