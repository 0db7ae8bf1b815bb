import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/client.ts';
import { ProblemNotice } from './notice.tsx';

/** Shows what a query brought, what it waits for, or why it failed; a failure that passes is asked again by itself. */
export function Loaded<Data>({
  query,
  waiting,
  missing,
  children,
}: {
  query: Pick<UseQueryResult<Data, ApiProblem>, 'data' | 'error' | 'refetch'>;
  waiting: ReactNode;
  /** Shown instead when the thing does not exist. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, error } = query;
  if (error && missing && isMissing(error)) return missing;
  const notice = error && (
    <ProblemNotice
      problem={error}
      doing="reading"
      automatic={error.passes}
      again={() => {
        query.refetch().catch(() => undefined);
      }}
    />
  );
  if (data === undefined) return notice ?? waiting;
  return (
    <>
      {notice}
      {children(data)}
    </>
  );
}

/** An address that is no id at all names nothing either. */
const isMissing = (problem: ApiProblem) => problem.code === 'not_found' || problem.code === 'validation_failed';
