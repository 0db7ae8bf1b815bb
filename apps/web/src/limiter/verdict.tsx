import { Link } from '@tanstack/react-router';
import { useSecondsLeft } from '../interface/countdown.tsx';
import { Notice, ProblemNotice } from '../interface/notice.tsx';
import { duration } from '../words/durations.ts';
import type { Summary } from './drive.ts';

const now = () => Date.now();

/** How the last requests went, in one box that keeps its place: served, or refused and until when. */
export function Verdict({ summary }: { summary: Summary }) {
  const left = useSecondsLeft(summary.retryAt, now);
  const { sent, retryAt, banned, degraded, refusedBy, problem, impossible } = summary;
  if (problem && problem.status === 401) {
    return (
      <Notice tone="bad" title="The API does not know this key">
        <p>
          It was mistyped or revoked. Make one on{' '}
          <Link to="/account" className="underline underline-offset-4">
            your account
          </Link>
          .
        </p>
      </Notice>
    );
  }
  if (problem?.code === 'store_unavailable') {
    return (
      <Notice tone="warn" title="Redis is not answering: 503">
        <p>
          A policy that is “closed” refuses then, within a quarter of a second. So does any request of a session,
          because the session itself is in Redis.
        </p>
      </Notice>
    );
  }
  if (problem) return <ProblemNotice problem={problem} doing="reading" />;
  if (degraded) {
    return (
      <Notice tone="warn" title="Redis is not answering">
        <p>
          The policy is “{degraded}” for that time:{' '}
          {degraded === 'local' ? 'each task gives its share from its own memory' : 'requests are served unlimited'}.
          What the bucket holds is not known.
        </p>
      </Notice>
    );
  }
  if (sent === 0) {
    return (
      <Notice tone="calm" title="The bucket is full, as far as this page knows">
        <p>Send ten at once, then ten more. Every dot is a real request through the balancer.</p>
      </Notice>
    );
  }
  if (impossible) {
    return (
      <Notice tone="warn" title="Refused, and no wait helps">
        <p>It costs more than the bucket can ever hold, so the answer names no Retry-After.</p>
      </Notice>
    );
  }
  if (left > 0) {
    return (
      <Notice tone={banned ? 'bad' : 'warn'} title={banned ? 'Suppressed' : 'Refused'}>
        <p>
          <span className="font-semibold tabular-nums">Retry-After: {duration(left)}.</span>{' '}
          {banned
            ? 'It kept hammering the empty bucket, so it is banned for a while. Trying again does not make it longer.'
            : refusedBy === undefined
              ? 'Who waits that long is served.'
              : `The key’s own limit (“${refusedBy}”) refused.`}
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="good" title={retryAt === undefined ? 'Served' : 'The wait is over'}>
      <p>{retryAt === undefined ? 'There was a token for the last request.' : 'The next request is served.'}</p>
    </Notice>
  );
}
