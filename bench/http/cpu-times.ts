import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_US = 10_000;

const kinds = [
  ['task', /apps\/api\/dist\/server\.js/],
  ['balancer', /packages\/stack\/dist\/server\.js/],
  ['PostgreSQL', /postgres/],
  ['Redis', /redis|valkey/],
  ['HAProxy', /^haproxy/],
] as const;
export type Kind = (typeof kinds)[number][0] | 'client';
export const kindNames: readonly Kind[] = [...kinds.map(([kind]) => kind), 'client'];

/**
 * Returns the CPU time spent so far, in µs, by this process, by the parts of the stack that it started, and by HAProxy; nothing
 * where there is no `/proc`.
 */
export function cpuTimes(): Record<string, number> {
  const processes = readProcesses();
  const spent: Record<string, number> = {};
  for (const { pid, ticks } of processes.values()) {
    const kind = kindOf(pid, processes);
    if (kind) spent[kind] = (spent[kind] ?? 0) + ticks * TICK_US;
  }
  return spent;
}

type Process = { pid: number; parent: number; ticks: number };

function readProcesses() {
  const processes = new Map<number, Process>();
  for (const name of namesIn('/proc')) {
    const stat = /^\d+$/.test(name) ? textOf(`/proc/${name}/stat`) : '';
    // The second field is the program's name in parentheses, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields.length < 13) continue;
    processes.set(Number(name), {
      pid: Number(name),
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
    });
  }
  return processes;
}

const known = new Map<number, Kind | undefined>();

/** Two stacks may run on the machine; only HAProxy, in its container, is no descendant of ours. */
function kindOf(pid: number, processes: ReadonlyMap<number, Process>): Kind | undefined {
  if (!known.has(pid)) known.set(pid, findKind(pid, processes));
  return known.get(pid);
}

function findKind(pid: number, processes: ReadonlyMap<number, Process>): Kind | undefined {
  if (pid === process.pid) return 'client';
  const command = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const kind = kinds.find(([, pattern]) => pattern.test(command))?.[0];
  return kind === 'HAProxy' || descends(pid, processes) ? kind : undefined;
}

function descends(pid: number, processes: ReadonlyMap<number, Process>): boolean {
  for (let at = processes.get(pid); at; at = processes.get(at.parent)) if (at.parent === process.pid) return true;
  return false;
}

function namesIn(folder: string) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended, or there is no /proc.
    return '';
  }
}
