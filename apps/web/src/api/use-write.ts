import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ApiProblem } from './client.ts';

export interface Write<Input> {
  /** Sends the request, unless one is in flight or must wait: a double click sends it once. */
  run: (input: Input) => void;
  /** Sends the last input again. */
  retry: () => void;
  /** Clears the problem. */
  clear: () => void;
  busy: boolean;
  problem: ApiProblem | null;
  /** Whether the request is retried automatically after the wait. */
  automatic: boolean;
}

const maxAutomaticRetries = 3;

/**
 * Sends a request that changes something, and tracks its state for a button.
 * @param onRefused can refetch data when the problem means that the page is out of date
 * @param mutationKey names the call, so that `useIsMutating` sees it in flight
 */
export function useWrite<Input, Answer>(
  send: (input: Input) => Promise<Answer>,
  onDone: (answer: Answer, input: Input) => unknown,
  onRefused: (problem: ApiProblem) => unknown = () => undefined,
  mutationKey?: readonly string[],
): Write<Input> {
  // A ref, because two clicks can come before the first one is rendered.
  const isInFlight = useRef<boolean>(false);
  const lastInput = useRef<{ input: Input } | undefined>(undefined);
  const automaticRetries = useRef<number>(0);
  const mutation = useMutation({
    ...(mutationKey && { mutationKey }),
    mutationFn: send,
    onSuccess: (answer, input) => {
      automaticRetries.current = 0;
      return onDone(answer, input);
    },
    onError: (refusal) => onRefused(refusal),
    onSettled: () => {
      isInFlight.current = false;
    },
  });
  const problem = mutation.error;

  const start = (input: Input) => {
    if (isInFlight.current || (problem?.retryAt ?? 0) > Date.now()) return;
    isInFlight.current = true;
    lastInput.current = { input };
    mutation.mutate(input);
  };
  return {
    run: (input) => {
      automaticRetries.current = 0;
      start(input);
    },
    retry: () => {
      automaticRetries.current += 1;
      if (lastInput.current) start(lastInput.current.input);
    },
    clear: () => mutation.reset(),
    busy: mutation.isPending,
    problem,
    // Only a 503 means that the same request can succeed later.
    automatic: problem?.status === 503 && automaticRetries.current < maxAutomaticRetries,
  };
}
