import { Link } from '@tanstack/react-router';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { duration } from '../words/durations.ts';
import type { Summary } from './drive.ts';

const now = () => Date.now();

/** Shows the outcome of the last request: served, or refused with the time until the next try. */
export function Verdict({ summary }: { summary: Summary }) {
  const left = useSecondsLeft(summary.retryAt, now);
  const { sent, retryAt, banned, degraded, refusedBy, problem, impossible } = summary;
  if (problem && problem.status === 401) {
    return (
      <Notice tone="bad" title="Invalid API key">
        <p>
          The key was mistyped or revoked. Create a new one on{' '}
          <Link to="/account" className="underline underline-offset-4">
            your account page
          </Link>
          .
        </p>
      </Notice>
    );
  }
  if (problem?.code === 'store_unavailable') {
    return (
      <Notice tone="warn" title="Redis is down: refused with 503">
        <p>
          A policy that fails closed refuses requests within a quarter of a second. Requests with a session are refused
          too, because sessions are stored in Redis.
        </p>
      </Notice>
    );
  }
  if (problem) return <ProblemNotice problem={problem} action="reading" />;
  if (degraded) {
    return (
      <Notice tone="warn" title="Redis is down">
        <p>
          The failure policy is “{degraded}”:{' '}
          {degraded === 'local'
            ? 'each task enforces its share of the limit in memory'
            : 'requests are served without a limit'}
          . The token count is unknown.
        </p>
      </Notice>
    );
  }
  if (sent === 0) {
    return (
      <Notice tone="calm" title="No requests sent yet">
        <p>Send a burst of ten, then ten more. Every dot is a real request through the load balancer.</p>
      </Notice>
    );
  }
  if (impossible) {
    return (
      <Notice tone="warn" title="Refused: waiting does not help">
        <p>
          The request costs more tokens than the bucket can hold, so the response has no Retry-After. Choose a lower
          cost.
        </p>
      </Notice>
    );
  }
  if (left > 0) {
    return (
      <Notice tone={banned ? 'bad' : 'warn'} title={banned ? 'Banned' : 'Refused'}>
        <p>
          <span className="font-semibold tabular-nums">Retry-After: {duration(left)}.</span>{' '}
          {banned
            ? 'Requests kept coming while the bucket was empty, so the client is banned. Further requests do not extend the ban.'
            : refusedBy === undefined
              ? 'A request after that time is served.'
              : `The key’s own limit (“${refusedBy}”) refused the request.`}
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="good" title={retryAt === undefined ? 'Served' : 'The wait is over'}>
      <p>{retryAt === undefined ? 'The last request got its tokens.' : 'Send a request: it will be served.'}</p>
    </Notice>
  );
}
