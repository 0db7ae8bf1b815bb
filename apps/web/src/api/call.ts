import { type Operation, type ParamsOf, type paths as Paths, pathOf, paths, type Routes } from '@minitickets/contract';
import type { z } from 'zod';
import { type ApiCall, request } from './client.ts';

type Schema<Name extends Operation> = Routes[Name]['schema'];
type Part<Name extends Operation, Key extends string> =
  Schema<Name> extends Record<Key, infer Type extends z.ZodType> ? z.input<Type> : never;

/** The response body of an operation on success; undefined for 204. */
export type AnswerOf<Name extends Operation> = Exclude<z.output<ResponseOf<Name>>, null>;
type ResponseOf<Name extends Operation> = Extract<Schema<Name>['response'][keyof Schema<Name>['response']], z.ZodType>;

/** The request body of an operation, as the contract's schema accepts it. */
export type BodyOf<Name extends Operation> = Part<Name, 'body'>;

type Params<Name extends Operation> = ParamsOf<(typeof Paths)[Name][1]>;
type Options<Name extends Operation> = Omit<ApiCall, 'method' | 'path' | 'body'> & {
  /** Query parameters; undefined and null are omitted. */
  query?: { [Key in keyof Part<Name, 'querystring'>]?: string | number | boolean | null | undefined };
} & (Params<Name> extends never ? { params?: undefined } : { params: Readonly<Record<Params<Name>, string>> }) &
  (BodyOf<Name> extends never ? { body?: undefined } : { body: BodyOf<Name> });

/**
 * Calls an operation of the contract and returns its response body. A parameter or body that the contract does not know is a
 * compile error.
 * @throws ApiProblem for every response but success, and for a missing response
 */
export function call<Name extends Operation>(
  operation: Name,
  { params, query, ...options }: Options<Name>,
): Promise<AnswerOf<Name>> {
  const [method] = paths[operation];
  return request({ method, path: addressOf(operation, params, query), ...options });
}

/** Returns the URL path of an operation, with its path and query parameters. */
export function addressOf<Name extends Operation>(
  operation: Name,
  params: Readonly<Record<Params<Name>, string>> | undefined,
  query: Readonly<Record<string, unknown>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const path = pathOf(operation, params ?? ({} as Record<Params<Name>, string>));
  return search === '' ? path : `${path}?${search}`;
}
