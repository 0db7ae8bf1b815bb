import { Link, useRouterState } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { type ReactNode, useEffect } from 'react';
import type { ApiProblem } from '../api/client.ts';
import { clockFace, duration, secondsLeft } from '../words/durations.ts';
import { explain, type UserAction } from '../words/problems.ts';
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

/** A message box in the place that it is about. */
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

/** Retry delay after a failure without a Retry-After. */
const defaultPauseMs = 5000;
const now = () => Date.now();

interface ProblemNoticeProps {
  problem: ApiProblem;
  action: UserAction;
  /** Sends the failed request again. */
  retry?: (() => void) | undefined;
  /** Whether the request is retried automatically when the wait is over. */
  automatic?: boolean;
  /** IANA time zone of the event concerned: times are shown in it. */
  timeZone?: string;
  children?: ReactNode;
}

/** Explains a failed request, with a countdown to the next try and the step that helps. */
export function ProblemNotice(props: ProblemNoticeProps) {
  // A repeated problem must be announced again, so it gets a new alert.
  return <OneProblem key={props.problem.at} {...props} />;
}

function OneProblem({ problem, action, retry, automatic = false, timeZone, children }: ProblemNoticeProps) {
  const { title, text, next } = explain(problem, action, timeZone);
  const retryAt = problem.retryAt ?? (automatic ? problem.at + defaultPauseMs : undefined);
  const left = useSecondsLeft(retryAt, now);
  const canRetryNow = automatic ? problem.retryAt === undefined : left === 0;
  const first = retryAt === undefined ? 0 : secondsLeft(retryAt, problem.at);
  // An earlier announcement is outdated; the alert announces itself.
  useEffect(() => announce(''), []);
  useCountdownEnd(left, () => {
    if (automatic && retry) retry();
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
      {retry && (next === 'again' || problem.isTemporary) && canRetryNow && (
        <Button look="quiet" onClick={retry}>
          Try again now
        </Button>
      )}
    </Notice>
  );
}

const waitSentence = (automatic: boolean, time: string) =>
  automatic ? `This page tries again in ${time}.` : `Try again in ${time}.`;

function LogInLink() {
  const here = useRouterState({ select: (state) => state.location.href });
  return (
    <Link to="/log-in" search={{ returnTo: here }} className={buttonClass('quiet')}>
      Log in
    </Link>
  );
}
