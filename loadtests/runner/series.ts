import type { Moment, Series } from '../report/series.ts';

type Point = { metric: string; type: string; data: { time: string; value: number; tags?: Record<string, string> } };

/** What of k6's measurements is drawn. The others are skipped before they are parsed. */
const drawn = ['"metric":"answers"', '"metric":"http_req_duration"', '"metric":"marks"'];

/** Gathers k6's measurements, second by second, as they come. */
export function gatherSeries() {
  const seconds = new Map<number, { outcomes: Map<string, number>; durations: number[] }>();
  const calls = new Map<string, { durations: number[]; outcomes: Map<string, number> }>();
  const tasks = new Map<string, number>();
  const marks: Series['marks'] = [];
  let first = Number.POSITIVE_INFINITY;

  function take(line: string) {
    if (!line.includes('"type":"Point"') || !drawn.some((metric) => line.includes(metric))) return;
    const { metric, data } = JSON.parse(line) as Point;
    const at = Date.parse(data.time) / 1000;
    const { call = '', name = '', outcome = 'none', task = 'none', says = '', group = '' } = data.tags ?? {};
    if (metric === 'marks') {
      marks.push({ second: at, says });
      return;
    }
    // What prepares the run and tidies up after it is not the load.
    if (group === '::setup' || group === '::teardown') return;
    first = Math.min(first, Math.floor(at));
    const second = entry(seconds, Math.floor(at), () => ({ outcomes: new Map(), durations: [] }));
    const ofCall = entry(calls, call || name, () => ({ durations: [], outcomes: new Map() }));
    if (metric === 'answers') {
      add(second.outcomes, outcome, data.value);
      add(ofCall.outcomes, outcome, data.value);
      add(tasks, task, data.value);
    } else {
      second.durations.push(data.value);
      ofCall.durations.push(data.value);
    }
  }

  function finish(): Series {
    const last = Math.max(...seconds.keys());
    const moments: Moment[] = [];
    for (let at = first; at <= last; at += 1) {
      const { outcomes, durations } = seconds.get(at) ?? { outcomes: new Map<string, number>(), durations: [] };
      moments.push({ second: at - first, outcomes: Object.fromEntries(outcomes), ...quantilesOf(durations) });
    }
    return {
      moments,
      marks: marks.map(({ second, says }) => ({ second: second - first, says })),
      tasks: Object.fromEntries([...tasks].sort()),
      // A request that is not of the API, to the runner or to a task's metrics, has no outcomes.
      calls: [...calls]
        .filter(([, { outcomes }]) => outcomes.size > 0)
        .map(([call, { durations, outcomes }]) => ({
          call,
          count: durations.length,
          outcomes: Object.fromEntries(outcomes),
          ...quantilesOf(durations),
        })),
    };
  }

  /** All answers so far, and how long those of the last full second took. */
  function now() {
    const { durations = [] } = seconds.get(Math.max(...seconds.keys()) - 1) ?? {};
    return { answers: [...tasks.values()].reduce((sum, count) => sum + count, 0), p95: quantilesOf(durations).p95 };
  }

  return { take, finish, now };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

const add = (counts: Map<string, number>, key: string, value: number) =>
  counts.set(key, (counts.get(key) ?? 0) + value);

/** In ms; null where nothing was measured. */
function quantilesOf(durations: number[]) {
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
