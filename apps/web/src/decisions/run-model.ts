import type { ExperimentEvent } from '@minitickets/decisions/frame/events';
import type { ArmResult } from '@minitickets/decisions/frame/results';

export type RequestOutcome = 'served' | 'refused' | 'failed';
/** `atMs` are the times of the values, from the beginning of the arm. */
export type LevelDrawing = { most: number; values: number[]; atMs: number[] };

/** What happened between two scenes. */
export type Section = {
  /** The scene that it began with. */
  scene: string | undefined;
  outcomes: RequestOutcome[];
  /** The same by who acted. */
  lanes: Map<string, RequestOutcome[]>;
  levels: Map<string, LevelDrawing>;
};

/** One arm, as far as it is drawn. */
export type ArmDrawing = { sections: Section[] };

export type ArmSummary = {
  name: string;
  state: 'waiting' | 'running' | 'ended';
  counts: Record<RequestOutcome, number>;
  result: ArmResult | undefined;
};

export type RunSummary = { arms: ArmSummary[]; thinned: boolean };

type Drawn = Extract<ExperimentEvent, { kind: 'request' | 'level' | 'scene' }>;

/** An arm is over in less time than a reader needs to look at it, so that it is drawn over this long. */
const armMs = 1600;
/** More than the lab tells of an arm. */
const mostEvents = 20_000;

/**
 * What a run has told so far, and how much of it is drawn. It lives outside React: a burst of events is no burst of renders.
 * @param onScene told what happens to all arms alike, once, as it is drawn
 */
export function createRunModel(onScene: (what: string) => void = () => undefined) {
  type Arm = { summary: ArmSummary; drawing: ArmDrawing; told: Drawn[]; drawn: number; due: number };
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
    /** Takes an event in. A stream that begins again begins with `begin`, and so does what is drawn. */
    take(event: ExperimentEvent) {
      switch (event.kind) {
        case 'begin':
          arms.clear();
          for (const { name } of event.arms) {
            arms.set(name, {
              summary: { name, state: 'waiting', counts: noCounts(), result: undefined },
              drawing: { sections: [] },
              told: [],
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
          const told = arms.get(event.arm)?.told;
          if (told && told.length < mostEvents) told.push(event);
          break;
        }
        default:
      }
      for (const drawer of drawers) drawer();
    },
    /** From here on only some of the requests are told. */
    takeThinning() {
      thinned = true;
      publish();
    },
    /** Draws what is due after so much time; all of it with `Infinity`. */
    advance(ms: number) {
      let changed = false;
      for (const arm of arms.values()) {
        const left = arm.told.length - arm.drawn;
        if (left === 0) continue;
        arm.due = Math.min(arm.told.length, arm.due + Math.max(0.05, arm.told.length / armMs) * ms);
        while (arm.drawn < Math.floor(arm.due)) {
          draw(arm, arm.told[arm.drawn] as Drawn);
          arm.drawn += 1;
          changed = true;
        }
      }
      if (changed) publish();
    },
    /** Draws the same once more, from the beginning. */
    replay() {
      for (const arm of arms.values()) {
        arm.drawing.sections = [];
        arm.summary.counts = noCounts();
        [arm.drawn, arm.due] = [0, 0];
      }
      publish();
      for (const drawer of drawers) drawer();
    },
    /** Whether there is something to draw that is not drawn yet. */
    get isBehind() {
      return [...arms.values()].some(({ told, drawn }) => drawn < told.length);
    },
    drawingOf: (name: string): ArmDrawing | undefined => arms.get(name)?.drawing,
    /** Told when there is something new to draw. */
    onNews: (drawer: () => void) => added(drawers, drawer),
    read: () => summary,
    /** Told when the summary is another one. */
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
