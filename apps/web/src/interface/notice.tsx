import { Link, useRouterState } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { type ReactNode, useEffect } from 'react';
import type { ApiProblem } from '../api/client.ts';
import { clockFace, duration, secondsLeft } from '../words/durations.ts';
import { type Doing, explain } from '../words/problems.ts';
import { announce } from './announcer.tsx';
import { Button, buttonClass } from './button.tsx';
import { useCountdownEnd, useSecondsLeft } from './countdown.tsx';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'good' | 'warn' | 'bad' | 'calm';

const tones: Record<Tone, { box: string; mark: string; icon: IconName }> = {
  good: { box: 'bg-good-soft', mark: 'text-good', icon: 'check' },
  warn: { box: 'bg-warn-soft', mark: 'text-warn', icon: 'clock' },
  bad: { box: 'bg-bad-soft', mark: 'text-bad', icon: 'warning' },
  calm: { box: 'bg-sunken', mark: 'text-muted', icon: 'info' },
};

/** Something the reader should know, in the place it belongs to. */
export function Notice({ tone, title, children }: { tone: Tone; title: string; children?: ReactNode }) {
  const { box, mark, icon } = tones[tone];
  return (
    <div className={clsx('flex gap-3 rounded-control p-4', box)}>
      <span className={clsx('mt-0.5', mark)}>
        <Icon name={icon} />
      </span>
      <div className="min-w-0 grow space-y-2">
        <p className={clsx('font-semibold', mark)}>{title}</p>
        {children}
      </div>
    </div>
  );
}

/** A failure that names no time is asked again after this. */
const defaultPauseMs = 5000;
const now = () => Date.now();

interface ProblemNoticeProps {
  problem: ApiProblem;
  doing: Doing;
  /** Sends the refused call again. */
  again?: (() => void) | undefined;
  /** Whether it is sent again by itself when the wait is over. */
  automatic?: boolean;
  /** Of the event that it is about: times are told on its clock. */
  timeZone?: string;
  children?: ReactNode;
}

/** Says a refusal in words, with the exact wait and the step that helps. */
export function ProblemNotice(props: ProblemNoticeProps) {
  // The same refusal a second time is news again.
  return <OneProblem key={props.problem.at} {...props} />;
}

function OneProblem({ problem, doing, again, automatic = false, timeZone, children }: ProblemNoticeProps) {
  const { title, text, next } = explain(problem, doing, timeZone);
  const until = problem.retryAt ?? (automatic ? problem.at + defaultPauseMs : undefined);
  const left = useSecondsLeft(until, now);
  const mayTryNow = automatic ? problem.retryAt === undefined : left === 0;
  const first = until === undefined ? 0 : secondsLeft(until, problem.at);
  // What was said before it does not hold any more: the alert speaks for itself.
  useEffect(() => announce(''), []);
  useCountdownEnd(left, () => {
    if (automatic && again) again();
    else announce('The wait is over. You can try again now.');
  });

  return (
    <Notice tone={problem.status === 401 || next === 'wait' ? 'warn' : 'bad'} title={title}>
      <div role="alert" className="space-y-2">
        <p className="sr-only">{title}</p>
        <p>{text}</p>
        {first > 0 && <p className="sr-only">{waitSentence(automatic, duration(first))}</p>}
      </div>
      {left > 0 && (
        <p aria-hidden="true" className="font-medium tabular-nums">
          {waitSentence(automatic, left < 60 ? duration(left) : clockFace(left))}
        </p>
      )}
      {first > 0 && left === 0 && !automatic && <p className="font-medium">You can try again now.</p>}
      {children}
      {next === 'log_in' && <LogInLink />}
      {next === 'reload' && (
        <Button look="quiet" onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      )}
      {again && (next === 'again' || problem.passes) && mayTryNow && (
        <Button look="quiet" onClick={again}>
          Try again now
        </Button>
      )}
    </Notice>
  );
}

const waitSentence = (automatic: boolean, time: string) =>
  automatic ? `This page tries again in ${time}.` : `You can try again in ${time}.`;

function LogInLink() {
  const here = useRouterState({ select: (state) => state.location.href });
  return (
    <Link to="/log-in" search={{ returnTo: here }} className={buttonClass('quiet')}>
      Log in
    </Link>
  );
}
