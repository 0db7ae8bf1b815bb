import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ProblemNotice } from '../interface/notice.tsx';
import { refusal } from '../testing/api-problem.ts';
import { ownClock } from '../testing/own-clock.ts';
import { renderPart } from '../testing/render-part.tsx';
import { useWrite } from './use-write.ts';

const { click, pass } = ownClock();

type Send = (input: string) => Promise<string>;

function Form({ send, onDone }: { send: Send; onDone: (answer: string) => void }) {
  const write = useWrite(send, onDone);
  return (
    <>
      <button type="button" onClick={() => write.run('input')}>
        Send
      </button>
      <p>{write.busy ? 'busy' : 'idle'}</p>
      {write.problem && (
        <ProblemNotice problem={write.problem} action="holding" retry={write.retry} automatic={write.automatic} />
      )}
    </>
  );
}

async function form(send: Send) {
  const onDone = vi.fn();
  await renderPart(<Form send={send} onDone={onDone} />);
  return { onDone, button: screen.getByRole('button', { name: 'Send' }) };
}

test('two clicks before the first is rendered send one request', async () => {
  let answer = (_: string) => {};
  const send = vi.fn<Send>(() => new Promise((resolve) => (answer = resolve)));
  const { button, onDone } = await form(send);
  button.click();
  button.click();
  await pass(0);
  await click(button);
  expect(send).toHaveBeenCalledOnce();
  answer('done');
  await pass(0);
  expect(onDone).toHaveBeenCalledOnce();
  expect(screen.getByText('idle')).toBeTruthy();
});

test('no request is sent before the Retry-After of a refusal is over', async () => {
  const send = vi.fn<Send>(async () => {
    if (send.mock.calls.length === 1) throw refusal('rate_limited', { retryAfterMs: 7000 });
    return 'done';
  });
  const { button, onDone } = await form(send);
  await click(button);
  await pass(0);
  expect(screen.getByRole('alert')).toBeTruthy();

  await pass(6900);
  await click(button);
  expect(send).toHaveBeenCalledOnce();
  await pass(100);
  await click(button);
  await pass(0);
  expect(onDone).toHaveBeenCalledOnce();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a 503 is retried automatically three times with the same input; further retries are up to the user', async () => {
  const send = vi.fn<Send>(async () => {
    throw refusal('store_unavailable', { retryAfterMs: 1000 });
  });
  const { button } = await form(send);
  await click(button);
  for (let second = 0; second < 20; second += 1) await pass(1000);
  expect(send.mock.calls.map(([input]) => input)).toEqual(Array(4).fill('input'));

  await click(screen.getByRole('button', { name: 'Try again now' }));
  expect(send).toHaveBeenCalledTimes(5);
});
