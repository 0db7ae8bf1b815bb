import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ApiProblem } from './client.ts';

export interface Write<Input> {
  /** Sends, unless a sending is under way or has to wait: clicking twice does it once. */
  run: (input: Input) => void;
  /** Sends the last input again. */
  retry: () => void;
  /** Takes the refusal away. */
  clear: () => void;
  busy: boolean;
  problem: ApiProblem | null;
  /** Whether the refusal is of the kind that is asked again by itself after its wait. */
  automatic: boolean;
}

const maxAutomatic = 3;

/**
 * One button's call that changes something.
 * @param onRefused may look how things stand, when a refusal says that the page is behind
 */
export function useWrite<Input, Answer>(
  send: (input: Input) => Promise<Answer>,
  onDone: (answer: Answer, input: Input) => unknown,
  onRefused: (problem: ApiProblem) => unknown = () => undefined,
): Write<Input> {
  // A ref, because two clicks can come before the first one is rendered.
  const underWay = useRef<boolean>(false);
  const lastInput = useRef<{ input: Input } | undefined>(undefined);
  const automaticDone = useRef<number>(0);
  const mutation = useMutation({
    mutationFn: send,
    onSuccess: (answer, input) => {
      automaticDone.current = 0;
      return onDone(answer, input);
    },
    onError: (refusal) => onRefused(refusal),
    onSettled: () => {
      underWay.current = false;
    },
  });
  const problem = mutation.error;

  const start = (input: Input) => {
    if (underWay.current || (problem?.retryAt ?? 0) > Date.now()) return;
    underWay.current = true;
    lastInput.current = { input };
    mutation.mutate(input);
  };
  return {
    run: (input) => {
      automaticDone.current = 0;
      start(input);
    },
    retry: () => {
      automaticDone.current += 1;
      if (lastInput.current) start(lastInput.current.input);
    },
    clear: () => mutation.reset(),
    busy: mutation.isPending,
    problem,
    // Of the refusals, 503 alone says that this very call is welcome again: nothing about it was wrong.
    automatic: problem?.status === 503 && automaticDone.current < maxAutomatic,
  };
}
