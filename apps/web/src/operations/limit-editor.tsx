import type { LimitChange, LimitView, OnStoreFailure } from '@minitickets/contract';
import { useState } from 'react';
import { changeLimit, removeIdentityLimit, resetLimit, setIdentityLimit } from '../api/operator-calls.ts';
import { useWrite } from '../api/use-write.ts';
import { announce } from '../interface/announcer.tsx';
import { Button } from '../interface/button.tsx';
import { Checkbox } from '../interface/checkbox.tsx';
import { Field } from '../interface/field.tsx';
import { Modal } from '../interface/modal.tsx';
import { ProblemNotice } from '../interface/notice.tsx';
import { Select } from '../interface/select.tsx';
import { limitDifferences, limitEffects, storeFailureWords } from '../words/limits.ts';
import { errorsFrom, formOf, type LimitForm, type NumberName, readForm } from './limit-form.ts';

const failureOptions = Object.entries(storeFailureWords) as [OnStoreFailure, string][];
const banFields: [NumberName, string][] = [
  ['strikes', 'Strikes before a ban'],
  ['firstBanMs', 'First ban (ms)'],
  ['growth', 'Growth factor'],
  ['longestBanMs', 'Longest ban (ms)'],
  ['forgetAfterMs', 'Reset after (ms)'],
];

/**
 * Edits one limit and previews the effects before they are applied.
 * @param identity whose limit it is; by default that of the tier. `shipped` then means that it has no limit of its own yet.
 */
export function LimitEditor({
  limit,
  identity,
  onClose,
  onSaved,
}: {
  limit: LimitView;
  identity?: string;
  onClose: () => void;
  onSaved: () => unknown;
}) {
  const [form, setForm] = useState(() => formOf(limit));
  const { policy, tier } = limit;
  const done = () => {
    announce(`Changed the limit “${policy}”. Every task enforces it within two seconds.`);
    onClose();
    return onSaved();
  };
  const saving = useWrite(
    (change: LimitChange) =>
      identity === undefined ? changeLimit({ policy, tier, change }) : setIdentityLimit({ policy, identity, change }),
    done,
  );
  const resetting = useWrite(
    async (_: undefined) =>
      identity === undefined ? await resetLimit({ policy, tier }) : await removeIdentityLimit({ policy, identity }),
    done,
  );
  const { change, errors } = readForm(form);
  const wrong = { ...errorsFrom(saving.problem?.fields ?? []), ...errors };
  const differences = change ? limitDifferences(limit, change) : [];

  const set = (part: Partial<LimitForm>) => {
    saving.clear();
    setForm({ ...form, ...part });
  };
  const number = (name: NumberName, label: string) => (
    <Field
      key={name}
      label={label}
      name={name}
      inputMode="numeric"
      autoComplete="off"
      error={wrong[name]}
      value={form[name]}
      onChange={(typed) => set({ [name]: typed })}
    />
  );

  return (
    <Modal title={`Limit “${policy}”, ${identity ?? tierWords(tier)}`} onClose={onClose}>
      <p className="text-muted">{limit.because}</p>
      <form
        noValidate
        className="space-y-4"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (change && differences.length > 0) saving.run(change);
        }}
      >
        <div className="grid gap-3 sm:grid-cols-3">
          {number('capacity', 'Burst (tokens)')}
          {number('refillTokens', 'Refill (tokens)')}
          {number('refillIntervalMs', 'Refill interval (ms)')}
        </div>
        <Select
          label="If Redis is down"
          value={form.onStoreFailure}
          options={failureOptions}
          onChange={(onStoreFailure) => set({ onStoreFailure })}
        />
        <Checkbox
          label="Ban clients that ignore Retry-After"
          checked={form.suppressed}
          onChange={(suppressed) => set({ suppressed })}
        />
        {form.suppressed && (
          <div className="grid gap-3 sm:grid-cols-3">{banFields.map(([name, label]) => number(name, label))}</div>
        )}
        <Checkbox
          label="Shadow mode: count refusals without refusing"
          checked={form.shadow}
          onChange={(shadow) => set({ shadow })}
        />
        <div aria-live="polite" className="space-y-2 rounded-control bg-sunken p-4">
          <h3 className="font-semibold">Effects of this change</h3>
          {change === null ? (
            <p>Enter whole numbers to see the effects.</p>
          ) : differences.length === 0 ? (
            <p>No changes yet.</p>
          ) : (
            <>
              <Differences differences={differences} />
              <ul className="list-disc space-y-1 pl-5 text-sm">
                {limitEffects(limit, change).map((effect) => (
                  <li key={effect}>{effect}</li>
                ))}
              </ul>
            </>
          )}
        </div>
        {saving.problem && <ProblemNotice problem={saving.problem} action="changing" retry={saving.retry} />}
        {resetting.problem && <ProblemNotice problem={resetting.problem} action="changing" retry={resetting.retry} />}
        <div className="flex flex-wrap justify-end gap-3">
          {!limit.shipped && (
            <Button look="quiet" busy={resetting.busy} busyText="Restoring" onClick={() => resetting.run(undefined)}>
              {identity === undefined ? 'Restore default' : 'Remove this limit'}
            </Button>
          )}
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            busy={saving.busy}
            busyText="Applying"
            blocked={change === null || differences.length === 0}
          >
            Apply
          </Button>
        </div>
      </form>
    </Modal>
  );
}

export const tierWords = (tier: string) => (tier === 'all' ? 'all tiers' : `${tier} tier`);

export function Differences({ differences }: { differences: ReturnType<typeof limitDifferences> }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
      {differences.map(({ what, before, after }) => (
        <div key={what} className="contents">
          <dt className="text-muted">{what}</dt>
          <dd>
            <del className="text-muted">{before}</del> <span aria-hidden="true">→</span>{' '}
            <ins className="font-semibold no-underline">{after}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
