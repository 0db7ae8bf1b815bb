import type { Outcome } from '../drawing/marks.ts';
import { duration } from '../words/durations.ts';
import type { Dot } from './drive.ts';

const words: Record<Outcome, string> = {
  served: 'served',
  throttled: 'refused: no token',
  suppressed: 'refused: banned',
  unanswered: 'failed',
};

/** Last requests, for screen readers and for exact numbers. */
export function RequestTable({ last }: { last: readonly Dot[] }) {
  return (
    <details className="rounded-card bg-surface p-4 inset-ring inset-ring-line sm:p-5">
      <summary className="text-lg font-bold">Last requests</summary>
      <div className="mt-4 overflow-x-auto">
        <table className="w-full text-left">
          <thead className="text-sm text-muted">
            <tr>
              <th className="py-1 pr-4 font-semibold">No.</th>
              <th className="py-1 pr-4 font-semibold">Task</th>
              <th className="py-1 pr-4 font-semibold">Outcome</th>
              <th className="py-1 pr-4 font-semibold">Duration</th>
              <th className="py-1 font-semibold">Retry-After</th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {last.map((dot) => (
              <tr key={dot.number} className="border-t border-line">
                <td className="py-1 pr-4">{dot.number}</td>
                <td className="py-1 pr-4">{dot.task ?? '–'}</td>
                <td className="py-1 pr-4">{dot.outcome ? words[dot.outcome] : 'in flight'}</td>
                <td className="py-1 pr-4">
                  {dot.receivedAt === undefined ? '–' : `${Math.round(dot.receivedAt - dot.sentAt)} ms`}
                </td>
                <td className="py-1">{dot.retryAfterMs === undefined ? '–' : duration(dot.retryAfterMs / 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {last.length === 0 && <p className="text-muted">No requests sent yet.</p>}
      </div>
    </details>
  );
}
