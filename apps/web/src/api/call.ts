import { type Operation, type ParamsOf, type paths as Paths, pathOf, paths, type Routes } from '@minitickets/contract';
import type { z } from 'zod';
import { type ApiCall, request } from './client.ts';

type Schema<Name extends Operation> = Routes[Name]['schema'];
type Part<Name extends Operation, Key extends string> =
  Schema<Name> extends Record<Key, infer Type extends z.ZodType> ? z.input<Type> : never;

/** What an operation answers with on success: undefined for one that answers 204. */
export type AnswerOf<Name extends Operation> = Exclude<z.output<ResponseOf<Name>>, null>;
type ResponseOf<Name extends Operation> = Extract<Schema<Name>['response'][keyof Schema<Name>['response']], z.ZodType>;

/** The body that an operation takes, as the contract's schema accepts it. */
export type BodyOf<Name extends Operation> = Part<Name, 'body'>;

type Params<Name extends Operation> = ParamsOf<(typeof Paths)[Name][1]>;
type Options<Name extends Operation> = Omit<ApiCall, 'method' | 'path' | 'body'> & {
  /** Query parameters; those that are undefined or null are left out. */
  query?: { [Key in keyof Part<Name, 'querystring'>]?: string | number | boolean | null | undefined };
} & (Params<Name> extends never ? { params?: undefined } : { params: Readonly<Record<Params<Name>, string>> }) &
  (BodyOf<Name> extends never ? { body?: undefined } : { body: BodyOf<Name> });

/**
 * Calls an operation of the contract: a path, a parameter or a body that the contract does not know is a compile error.
 * @throws ApiProblem for every answer but success, and for none
 */
export function call<Name extends Operation>(
  operation: Name,
  { params, query, ...options }: Options<Name>,
): Promise<AnswerOf<Name>> {
  const [method] = paths[operation];
  return request({ method, path: addressOf(operation, params, query), ...options });
}

/** The address of an operation, with its parameters and its query. */
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
