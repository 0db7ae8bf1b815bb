import { summaries } from 'virtual:decisions';
import { Link } from '@tanstack/react-router';
import { Card } from '../interface/card.tsx';
import { Checkbox } from '../interface/checkbox.tsx';
import { dueNames, own } from './study.ts';
import { study, useStudy } from './use-study.ts';

/** How far the reader has come, what is due for review, and the sheet of all answers. */
export function Progress() {
  const state = useStudy();
  const count = (has: (name: string) => unknown) => summaries.filter(({ name }) => has(name)).length;
  const answered = count((name) => own(state.decisions, name).answer);
  const seen = count((name) => own(state.decisions, name).revealed);
  const names = dueNames(state, Date.now());
  const due = summaries.filter(({ name }) => names.includes(name));
  return (
    <Card
      title="Your progress"
      aside={
        <Link to="/decisions/answers" className="font-medium text-accent underline underline-offset-4">
          Print all answers in 30 seconds
        </Link>
      }
    >
      <p>
        Answered in writing: {answered} of {summaries.length}. Answers seen: {seen}. Due for review:{' '}
        {due.length === 0 ? 'none' : due.length}. This is kept in this browser only.
      </p>
      {due.length > 0 && (
        <nav aria-label="Due for review">
          <ul className="flex flex-wrap gap-x-5">
            {due.map(({ name, title }) => (
              <li key={name}>
                <Link
                  to="/decisions/$name"
                  params={{ name }}
                  className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <Checkbox label="Always show answers" checked={state.showAll} onChange={(all) => study.showAll(all)} />
    </Card>
  );
}
