import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ArmResult } from '@minitickets/decisions/frame/results';

export type RequestOutcome = 'served' | 'refused' | 'failed';
/** `atMs` holds the time of each value, in ms since the start of the arm. */
export type LevelDrawing = { most: number; values: number[]; atMs: number[] };

/** The events between two scenes. */
export type Section = {
  /** The scene at its start. */
  scene: string | undefined;
  outcomes: RequestOutcome[];
  /** The same outcomes by actor. */
  lanes: Map<string, RequestOutcome[]>;
  levels: Map<string, LevelDrawing>;
};

/** The drawn part of one arm. */
export type ArmDrawing = { sections: Section[] };

export type ArmSummary = {
  name: string;
  state: 'waiting' | 'running' | 'ended';
  counts: Record<RequestOutcome, number>;
  result: ArmResult | undefined;
};

export type RunSummary = { arms: ArmSummary[]; thinned: boolean };

type Drawn = Extract<ExperimentEvent, { kind: 'request' | 'level' | 'scene' }>;

/** Arms finish faster than a reader can follow, so each is drawn over this time. */
const armMs = 1600;
/** More events than the lab sends for one arm. */
const maxEvents = 20_000;

/**
 * Holds the events of a run and how many of them are drawn. It lives outside React, so that a burst of events does not cause
 * a burst of renders.
 * @param onScene called once per scene when it is drawn, for all arms together
 */
export function createRunModel(onScene: (what: string) => void = () => undefined) {
  type Arm = { summary: ArmSummary; drawing: ArmDrawing; events: Drawn[]; drawn: number; due: number };
  const arms = new Map<string, Arm>();
  const listeners = new Set<() => void>();
  const drawers = new Set<() => void>();
  let summary: RunSummary = { arms: [], thinned: false };
  let thinned = false;

  const publish = () => {
    summary = { arms: [...arms.values()].map((arm) => ({ ...arm.summary })), thinned };
    for (const listener of listeners) listener();
  };
  const change = (name: string, part: Partial<ArmSummary>) => {
    const arm = arms.get(name);
    if (arm) Object.assign(arm.summary, part);
    publish();
  };

  function draw(arm: Arm, event: Drawn) {
    if (event.kind === 'scene') {
      arm.drawing.sections.push(emptySection(event.what));
      if (arm === arms.values().next().value) onScene(event.what);
      return;
    }
    const { sections } = arm.drawing;
    if (sections.length === 0) sections.push(emptySection(undefined));
    const section = sections.at(-1) as Section;
    if (event.kind === 'level') {
      const level = section.levels.get(event.name) ?? { most: event.most, values: [], atMs: [] };
      level.values.push(event.value);
      level.atMs.push(event.atMs);
      section.levels.set(event.name, level);
      return;
    }
    const lane = section.lanes.get(event.actor) ?? [];
    lane.push(event.outcome);
    section.lanes.set(event.actor, lane);
    section.outcomes.push(event.outcome);
    arm.summary.counts[event.outcome] += 1;
  }

  return {
    /** Adds an event. A restarted stream starts with `begin`, which clears the model. */
    take(event: ExperimentEvent) {
      switch (event.kind) {
        case 'begin':
          arms.clear();
          for (const { name } of event.arms) {
            arms.set(name, {
              summary: { name, state: 'waiting', counts: noCounts(), result: undefined },
              drawing: { sections: [] },
              events: [],
              ...{ drawn: 0, due: 0 },
            });
          }
          publish();
          break;
        case 'arm-begin':
          change(event.arm, { state: 'running' });
          break;
        case 'arm-end':
          change(event.arm, { state: 'ended', result: event.result });
          break;
        case 'request':
        case 'level':
        case 'scene': {
          const events = arms.get(event.arm)?.events;
          if (events && events.length < maxEvents) events.push(event);
          break;
        }
        default:
      }
      for (const drawer of drawers) drawer();
    },
    /** Records that from now on the lab sends only a sample of the requests. */
    takeThinning() {
      thinned = true;
      publish();
    },
    /** Draws the events due after this many ms; `Infinity` draws all. */
    advance(ms: number) {
      let changed = false;
      for (const arm of arms.values()) {
        const left = arm.events.length - arm.drawn;
        if (left === 0) continue;
        arm.due = Math.min(arm.events.length, arm.due + Math.max(0.05, arm.events.length / armMs) * ms);
        while (arm.drawn < Math.floor(arm.due)) {
          draw(arm, arm.events[arm.drawn] as Drawn);
          arm.drawn += 1;
          changed = true;
        }
      }
      if (changed) publish();
    },
    /** Draws the run again from the start. */
    replay() {
      for (const arm of arms.values()) {
        arm.drawing.sections = [];
        arm.summary.counts = noCounts();
        [arm.drawn, arm.due] = [0, 0];
      }
      publish();
      for (const drawer of drawers) drawer();
    },
    /** Whether some events are not drawn yet. */
    get isBehind() {
      return [...arms.values()].some(({ events, drawn }) => drawn < events.length);
    },
    drawingOf: (name: string): ArmDrawing | undefined => arms.get(name)?.drawing,
    /** Subscribes to new events. */
    onNews: (drawer: () => void) => added(drawers, drawer),
    read: () => summary,
    /** Subscribes to changes of the summary. */
    subscribe: (listener: () => void) => added(listeners, listener),
  };
}

export type RunModel = ReturnType<typeof createRunModel>;

function added(set: Set<() => void>, one: () => void) {
  set.add(one);
  return () => {
    set.delete(one);
  };
}

const noCounts = (): ArmSummary['counts'] => ({ served: 0, refused: 0, failed: 0 });
const emptySection = (scene: string | undefined): Section => ({
  ...{ scene, outcomes: [] },
  ...{ lanes: new Map(), levels: new Map() },
});
