import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useUser } from '../api/session.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { CopyButton } from '../interface/copy-button.tsx';
import { Page } from '../interface/page.tsx';
import { Checks, PerProcessColumn } from '../limiter/checks.tsx';
import { Controls } from '../limiter/controls.tsx';
import { createDrive, type Drive, type Summary } from '../limiter/drive.ts';
import { observeRequest } from '../limiter/observe.ts';
import { Outage } from '../limiter/outage.tsx';
import { RequestTable } from '../limiter/request-table.tsx';
import { Scene } from '../limiter/scene.tsx';
import { curlCommands, readSetUp, type SetUp, writeSetUp } from '../limiter/set-up.ts';
import { SuppressionCard } from '../limiter/suppression.tsx';
import { Verdict } from '../limiter/verdict.tsx';

const route = getRouteApi('/limiter');

export function LimiterPage() {
  const setUp = readSetUp(route.useSearch());
  const navigate = route.useNavigate();
  const user = useUser();
  const [apiKey, setApiKey] = useState('');
  const [drive] = useState(() => createDrive(observeRequest));
  const summary = useSyncExternalStore(drive.subscribe, drive.read);
  const { tier, sentAs, cost, whenAway } = setUp;
  const call = useMemo(() => ({ tier, sentAs, cost, whenAway, apiKey }), [tier, sentAs, cost, whenAway, apiKey]);

  useEffect(() => drive.use(call), [drive, call]);
  useEffect(() => {
    // A stream in a hidden tab would only waste the reader's tokens.
    const onHide = () => {
      if (document.hidden) drive.endStream();
    };
    document.addEventListener('visibilitychange', onHide);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      drive.endStream();
    };
  }, [drive]);
  useAnnouncedOutcome(summary);

  const change = (part: Partial<SetUp>) => {
    navigate({ search: writeSetUp({ ...setUp, ...part }), replace: true, resetScroll: false }).catch(() => undefined);
  };

  return (
    <Page
      title="Drive the limiter"
      lead="Several API tasks share one token bucket. It lives in Redis, where one atomic script refills and spends it. Everything here comes from the API’s real responses."
    >
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_1fr]">
        <div className="space-y-4 lg:sticky lg:top-4">
          <Controls
            drive={drive}
            setUp={setUp}
            onChange={change}
            summary={summary}
            user={user}
            apiKey={apiKey}
            onApiKey={setApiKey}
          />
          <Verdict summary={summary} />
        </div>
        <div className="min-w-0 space-y-4">
          <Card title={bucketName(setUp)} aside={<LimitWords summary={summary} />}>
            <Figures summary={summary} />
            <Scene drive={drive} />
          </Card>
          <div className="grid gap-4 md:grid-cols-2">
            <Checks summary={summary} />
            <PerProcessColumn summary={summary} />
            <SuppressionCard call={call} drive={drive} summary={summary} />
            <Suggestions />
          </div>
          <Outage />
          <ShareIt drive={drive} setUp={setUp} email={user?.email} />
          <RequestTable last={summary.last} />
        </div>
      </div>
    </Page>
  );
}

function bucketName({ tier, sentAs, whenAway }: SetUp): string {
  const whose = { address: 'your IP address', account: 'your account', key: 'the key’s owner' }[sentAs];
  const policy = whenAway === 'local' ? '' : `, fails ${whenAway}`;
  return `Bucket of ${whose}, ${tier} tier${policy}`;
}

function LimitWords({ summary: { capacity, refillPerSecond } }: { summary: Summary }) {
  return (
    <p className="text-sm text-muted tabular-nums">
      {capacity === undefined || refillPerSecond === undefined
        ? 'Send a request to see the limit.'
        : `capacity ${capacity}, refill ${Math.round(refillPerSecond * 100) / 100} per second`}
    </p>
  );
}

function Figures({ summary: { sent, inFlight, counts, skipped } }: { summary: Summary }) {
  const figures: [words: string, value: number, look: string][] = [
    ['Sent', sent, ''],
    ['Served', counts.served, 'text-good'],
    ['Refused', counts.throttled, 'text-warn'],
    ['Banned', counts.suppressed, 'text-bad'],
    ['In flight', inFlight, 'text-muted'],
  ];
  return (
    <>
      <dl className="grid grid-cols-3 gap-3 sm:grid-cols-5">
        {figures.map(([words, value, look]) => (
          <div key={words}>
            <dt className="text-sm text-muted">{words}</dt>
            <dd className={`text-2xl font-bold tabular-nums ${look}`}>{value}</dd>
          </div>
        ))}
      </dl>
      {skipped > 0 && (
        <p className="text-sm font-medium text-warn">
          {skipped} requests of the stream were skipped: too many were in flight.
        </p>
      )}
    </>
  );
}

function Suggestions() {
  return (
    <Card title="What to try">
      <ol className="list-decimal space-y-1.5 pl-5">
        <li>Send a burst of ten, then ten more: every task refuses, because all share one bucket.</li>
        <li>
          Switch to the pro tier and send ten more: all are served. It is the same bucket, and it gains the 20 tokens by
          which the burst is larger, once. Switching back and forth gains nothing more.
        </li>
        <li>Start a stream of 20 per second: it earns a ban, and then a longer one. Watch the strikes.</li>
        <li>Send requests that cost 5 tokens: two empty the bucket. At 15, the free tier can never serve one.</li>
        <li>Pause Redis below and compare the failure policies closed, open and local.</li>
        <li>Open this page in a second tab: both spend from one bucket, and the consistency check notices.</li>
      </ol>
    </Card>
  );
}

function ShareIt({ drive, setUp, email }: { drive: Drive; setUp: SetUp; email: string | undefined }) {
  const commands = curlCommands(setUp, window.location.origin, email);
  return (
    <Card title="Repeat it from a shell">
      <pre className="whitespace-pre-wrap wrap-anywhere rounded-control bg-sunken p-3 text-sm">
        <code>{commands}</code>
      </pre>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={commands} what="the commands" />
        <CopyButton text={window.location.href} what="a link to these settings" />
        <Button look="quiet" onClick={() => drive.forget()}>
          Clear results
        </Button>
      </div>
    </Card>
  );
}

/** Announces the outcome of a burst or a stream once it is over. */
function useAnnouncedOutcome({ inFlight, streaming, counts }: Summary) {
  const moving = inFlight > 0 || streaming;
  const before = useRef({ moving: false, counts });
  const speak = useEffectEvent(() => {
    const was = before.current.counts;
    const served = counts.served - was.served;
    const refused = counts.throttled + counts.suppressed - was.throttled - was.suppressed;
    if (served + refused > 0) announce(`${served} served, ${refused} refused.`);
  });
  useEffect(() => {
    if (moving && !before.current.moving) before.current = { moving, counts };
    if (!moving && before.current.moving) {
      speak();
      before.current = { moving, counts };
    }
  }, [moving, counts]);
}
