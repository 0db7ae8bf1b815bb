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
import { Ladder } from '../limiter/ladder.tsx';
import { observeRequest } from '../limiter/observe.ts';
import { Outage } from '../limiter/outage.tsx';
import { RequestTable } from '../limiter/request-table.tsx';
import { Scene } from '../limiter/scene.tsx';
import { curlCommands, readSetUp, type SetUp, writeSetUp } from '../limiter/set-up.ts';
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
    // Nobody looks: a stream that goes on would only spend the reader's tokens.
    const onHide = () => {
      if (document.hidden) drive.endStream();
    };
    document.addEventListener('visibilitychange', onHide);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      drive.endStream();
    };
  }, [drive]);
  useSpokenOutcome(summary);

  const change = (part: Partial<SetUp>) => {
    navigate({ search: writeSetUp({ ...setUp, ...part }), replace: true, resetScroll: false }).catch(() => undefined);
  };

  return (
    <Page
      title="Drive the limiter"
      lead="Several tasks answer, one bucket decides. It lives in Redis, and one atomic script refills and spends it. What you see here are the API’s own answers."
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
            <Ladder call={call} drive={drive} summary={summary} />
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
  const whose = { address: 'your address', account: 'your account', key: 'the key’s owner' }[sentAs];
  const policy = whenAway === 'local' ? '' : `, “${whenAway}” while Redis is away`;
  return `The bucket of ${whose}, ${tier}${policy}`;
}

function LimitWords({ summary: { capacity, refillPerSecond } }: { summary: Summary }) {
  return (
    <p className="text-sm text-muted tabular-nums">
      {capacity === undefined || refillPerSecond === undefined
        ? 'Its limit is told with the first answer.'
        : `holds ${capacity}, refills ${Math.round(refillPerSecond * 100) / 100} per second`}
    </p>
  );
}

function Figures({ summary: { sent, inFlight, counts, leftOut } }: { summary: Summary }) {
  const figures: [words: string, value: number, look: string][] = [
    ['Sent', sent, ''],
    ['Served', counts.served, 'text-good'],
    ['Refused', counts.throttled, 'text-warn'],
    ['Banned', counts.suppressed, 'text-bad'],
    ['Under way', inFlight, 'text-muted'],
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
      {leftOut > 0 && (
        <p className="text-sm font-medium text-warn">
          {leftOut} of the stream were not sent: too many had no answer yet.
        </p>
      )}
    </>
  );
}

function Suggestions() {
  return (
    <Card title="What to try">
      <ol className="list-decimal space-y-1.5 pl-5">
        <li>Ten at once, and ten more: all tasks refuse together, because the bucket is one.</li>
        <li>
          The same on the pro tier: all twenty are served, for it has thirty tokens as shipped. Fifty are too many there
          too.
        </li>
        <li>A stream of 20 per second earns a ban, and then a longer one. Watch the strikes.</li>
        <li>Requests that cost 5: two empty the bucket. At 15 a free one can never be served.</li>
        <li>Take Redis away: closed, open and local answer beside each other.</li>
        <li>The same page in a second tab: both spend from one bucket, and the check above notices.</li>
      </ol>
    </Card>
  );
}

function ShareIt({ drive, setUp, email }: { drive: Drive; setUp: SetUp; email: string | undefined }) {
  const commands = curlCommands(setUp, window.location.origin, email);
  return (
    <Card title="The same elsewhere">
      <pre className="whitespace-pre-wrap wrap-anywhere rounded-control bg-sunken p-3 text-sm">
        <code>{commands}</code>
      </pre>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={commands} what="the commands" />
        <CopyButton text={window.location.href} what="a link to this set-up" />
        <Button look="quiet" onClick={() => drive.forget()}>
          Clear the page
        </Button>
      </div>
    </Card>
  );
}

/** Says how a burst or a stream went, once it is over. */
function useSpokenOutcome({ inFlight, streaming, counts }: Summary) {
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
