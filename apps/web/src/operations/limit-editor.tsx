import type { LimitView, OnStoreFailure } from '@minitickets/contract';
import { useState } from 'react';
import { changeLimit, resetLimit } from '../api/operator-calls.ts';
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
  ['strikes', 'Strikes until a ban'],
  ['firstBanMs', 'First ban, ms'],
  ['growth', 'Each further one × '],
  ['longestBanMs', 'Longest ban, ms'],
  ['forgetAfterMs', 'Forgotten after, ms'],
];

/** Edits one limit, and says before it is saved what that would change. */
export function LimitEditor({
  limit,
  onClose,
  onSaved,
}: {
  limit: LimitView;
  onClose: () => void;
  onSaved: () => unknown;
}) {
  const [form, setForm] = useState(() => formOf(limit));
  const { policy, tier } = limit;
  const done = () => {
    announce(`The limit “${policy}” is changed. Every task enforces it within two seconds.`);
    onClose();
    return onSaved();
  };
  const saving = useWrite(changeLimit, done);
  const shipping = useWrite(resetLimit, done);
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
    <Modal title={`Limit “${policy}”, ${tierWords(tier)}`} onClose={onClose}>
      <p className="text-muted">{limit.because}</p>
      <form
        noValidate
        className="space-y-4"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (change && differences.length > 0) saving.run({ policy, tier, change });
        }}
      >
        <div className="grid gap-3 sm:grid-cols-3">
          {number('capacity', 'At once')}
          {number('refillTokens', 'Refill tokens')}
          {number('refillIntervalMs', 'in every … ms')}
        </div>
        <Select
          label="While Redis is away"
          value={form.onStoreFailure}
          options={failureOptions}
          onChange={(onStoreFailure) => set({ onStoreFailure })}
        />
        <Checkbox
          label="Ban who keeps hammering"
          checked={form.suppressed}
          onChange={(suppressed) => set({ suppressed })}
        />
        {form.suppressed && (
          <div className="grid gap-3 sm:grid-cols-3">{banFields.map(([name, label]) => number(name, label))}</div>
        )}
        <Checkbox
          label="Shadow mode: count what would be refused, refuse nobody"
          checked={form.shadow}
          onChange={(shadow) => set({ shadow })}
        />
        <div aria-live="polite" className="space-y-2 rounded-control bg-sunken p-4">
          <h3 className="font-semibold">What this changes</h3>
          {change === null ? (
            <p>Fill in whole numbers, and it is said here.</p>
          ) : differences.length === 0 ? (
            <p>Nothing yet.</p>
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
        {saving.problem && <ProblemNotice problem={saving.problem} doing="changing" again={saving.again} />}
        {shipping.problem && <ProblemNotice problem={shipping.problem} doing="changing" again={shipping.again} />}
        <div className="flex flex-wrap justify-end gap-3">
          {!limit.shipped && (
            <Button
              look="quiet"
              busy={shipping.busy}
              busyText="Putting it back"
              onClick={() => shipping.run({ policy, tier })}
            >
              Back to what was shipped
            </Button>
          )}
          <Button look="quiet" onClick={onClose}>
            Leave as it is
          </Button>
          <Button
            type="submit"
            busy={saving.busy}
            busyText="Saving"
            blocked={change === null || differences.length === 0}
          >
            Put in force
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
