import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/client.ts';
import { ProblemNotice } from './notice.tsx';

/** Renders the data of a query, its loading state, or its failure. A temporary failure is retried automatically. */
export function Loaded<Data>({
  query,
  waiting,
  missing,
  children,
}: {
  query: Pick<UseQueryResult<Data, ApiProblem>, 'data' | 'error' | 'refetch'>;
  waiting: ReactNode;
  /** Rendered when the resource does not exist. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, error } = query;
  if (error && missing && isMissing(error)) return missing;
  const notice = error && (
    <ProblemNotice
      problem={error}
      action="reading"
      automatic={error.isTemporary}
      retry={() => {
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

/** A malformed id in the URL names nothing either. */
const isMissing = (problem: ApiProblem) => problem.code === 'not_found' || problem.code === 'validation_failed';
