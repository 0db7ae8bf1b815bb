import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Card } from '../interface/card.tsx';
import { Icon } from '../interface/icon.tsx';
import { OneOf } from '../interface/one-of.tsx';
import { readerTime } from '../words/dates.ts';
import { armTitle } from './arm-panel.tsx';
import type { ShownRace } from './content.ts';
import { RaceLanes } from './race-lanes.tsx';
import { RaceStepView } from './race-step.tsx';
import { stepSentence } from './race-steps.ts';
import { RaceTranscripts } from './race-transcripts.tsx';

/** How long each step is shown while the race plays. */
const stepMs = 2000;

/** Steps through recorded races of two requests, with buttons, the slider, or the keys ← → Home End. */
export function RacePlayer({ races }: { races: readonly ShownRace[] }) {
  const [arm, setArm] = useState(races[0]?.arm ?? '');
  const race = races.find((one) => one.arm === arm);
  if (!race) return null;
  return (
    <Card title="Step by step">
      <p className="max-w-3xl text-muted">
        Two concurrent requests, recorded statement by statement, first with the naive and then with the shipped design.
        Watch where the second request has to wait.
      </p>
      <div className="space-y-4 noscript:hidden">
        {races.length > 1 && (
          <OneOf
            label="Design"
            options={races.map((one) => [one.arm, armTitle(one.arm)])}
            value={arm}
            onChange={setArm}
          />
        )}
        <OneRace key={race.arm} race={race} />
      </div>
      <noscript>
        <RaceTranscripts races={races} />
      </noscript>
    </Card>
  );
}

function OneRace({ race }: { race: ShownRace }) {
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const player = useRef<HTMLDivElement>(null);
  const last = race.steps.length - 1;

  const go = (target: number) => {
    const next = Math.max(0, Math.min(last, target));
    setAt(next);
    const step = race.steps[next];
    if (step) announce(`${stepSentence(step)}${next === last ? ` ${race.ending}` : ''}`);
  };
  const stepByHand = (target: number) => {
    setPlaying(false);
    go(target);
  };
  const onTick = useEffectEvent(() => {
    go(at + 1);
    if (at + 1 >= last) setPlaying(false);
  });
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(onTick, stepMs);
    return () => clearInterval(timer);
  }, [playing]);

  const onKey = useEffectEvent((press: KeyboardEvent) => {
    if (press.altKey || press.ctrlKey || press.metaKey || usesArrowKeys(press.target)) return;
    const wanted = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[press.key];
    if (wanted === undefined) return;
    press.preventDefault();
    stepByHand(wanted);
  });
  useEffect(() => {
    const element = player.current;
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, []);

  const step = race.steps[at];
  return (
    <div ref={player} className="space-y-4">
      <p className="font-medium">{race.title}.</p>
      <div className="flex flex-wrap items-center gap-2">
        <Button look="quiet" blocked={at === 0} onClick={() => stepByHand(at - 1)}>
          <Icon name="back" />
          <span className="sr-only">Previous step</span>
        </Button>
        <Button look="quiet" blocked={at === last} onClick={() => stepByHand(at + 1)}>
          <Icon name="next" />
          <span className="sr-only">Next step</span>
        </Button>
        <Button
          onClick={() => {
            if (!playing && at === last) go(0);
            setPlaying(!playing);
          }}
        >
          {playing ? 'Pause' : 'Play'}
        </Button>
        <label className="flex min-h-11 min-w-40 grow items-center gap-3">
          <span className="sr-only">Step</span>
          <input
            type="range"
            min={0}
            max={last}
            value={at}
            aria-valuetext={step && `${at + 1} of ${last + 1}: ${stepSentence(step)}`}
            onChange={(change) => stepByHand(Number(change.currentTarget.value))}
            className="w-full"
          />
          <span aria-hidden="true" className="shrink-0 text-sm text-muted tabular-nums">
            {at + 1} of {last + 1}
          </span>
        </label>
      </div>
      <div className="grid items-start gap-5 md:grid-cols-2">
        <div className="md:order-last">
          <RaceStepView race={race} at={at} />
        </div>
        <RaceLanes race={race} at={at} onStep={stepByHand} />
      </div>
      <p className="rounded-control bg-sunken p-3">
        <span className="text-muted">Outcome: </span>
        {at === last ? <strong>{race.ending}</strong> : 'shown at the last step.'}
      </p>
      <p className="text-sm text-muted">
        Recorded on {readerTime(race.recordedAt, 'UTC')} UTC, {race.stores}. Keys: ← → Home End.
      </p>
    </div>
  );
}

/** Whether an element uses these keys itself. The slider does too, but with the same meaning. */
const usesArrowKeys = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && (target.type === 'text' || target.type === 'radio');
