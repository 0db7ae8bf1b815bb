import { isDeepStrictEqual } from 'node:util';
import {
  type Access,
  apiKey,
  apiKeyChange,
  auditResult,
  booking,
  bucketExplained,
  checkedIn,
  checkIn,
  createdApiKey,
  credentials,
  currency,
  currencyCodes,
  doorListEntry,
  email,
  event,
  eventChange,
  eventInventory,
  headers,
  identityLimit,
  limit,
  limitActivity,
  limitActivitySeries,
  limitChange,
  newApiKey,
  newBooking,
  newEvent,
  newTicketType,
  type Operation,
  type ProblemCode,
  paths,
  payment,
  playgroundAnswer,
  playgroundBucket,
  problem,
  problems,
  providerEvent,
  type Route,
  recordedLimitChange,
  registration,
  routes,
  suppression,
  taskReport,
  ticket,
  ticketType,
  ticketTypeChange,
  ticketWithEvent,
  tierChange,
  tierView,
  timeZone,
  user,
} from '@minitickets/contract';
import { z } from 'zod';

type Json = Record<string, unknown>;

const exampleId = '0197a3c4-5d6e-4f70-8a91-b2c3d4e5f607';

/** The schemas that the description names: client generators make one model of each. */
const models = z.registry<{ id: string; examples?: unknown[]; format?: string; enum?: readonly string[] }>();
for (const [id, schema] of Object.entries({
  ...{ User: user, ApiKey: apiKey, CreatedApiKey: createdApiKey, NewApiKey: newApiKey },
  ...{ Event: event, EventChange: eventChange, NewEvent: newEvent, DoorListEntry: doorListEntry },
  ...{ TicketType: ticketType, NewTicketType: newTicketType, TicketTypeChange: ticketTypeChange },
  ...{ Booking: booking, Ticket: ticket, TicketWithEvent: ticketWithEvent, CheckIn: checkIn, CheckedIn: checkedIn },
  ...{ PlaygroundAnswer: playgroundAnswer, PlaygroundBucket: playgroundBucket, BucketExplained: bucketExplained },
  ...{ Limit: limit, LimitChange: limitChange, RecordedLimitChange: recordedLimitChange, Suppression: suppression },
  ...{ Tier: tierView, TierChange: tierChange, IdentityLimit: identityLimit, ApiKeyChange: apiKeyChange },
  ...{ LimitActivity: limitActivity, LimitActivitySeries: limitActivitySeries, TaskReport: taskReport },
  ...{ EventInventory: eventInventory, AuditResult: auditResult, Problem: problem, ProviderEvent: providerEvent },
}))
  models.add(schema, { id });
models.add(registration, {
  id: 'Registration',
  examples: [{ email: 'ada@example.com', password: 'correct horse battery staple', name: 'Ada' }],
});
models.add(credentials, {
  id: 'Credentials',
  examples: [{ email: 'customer@minitickets.example', password: 'correct horse battery staple' }],
});
models.add(newBooking, {
  id: 'NewBooking',
  examples: [{ eventId: exampleId, lines: [{ ticketTypeId: exampleId, quantity: 2 }] }],
});
models.add(email, { id: 'EmailAddress', format: 'email', examples: ['ada@example.com'] });
models.add(currency, { id: 'Currency', enum: currencyCodes });
models.add(timeZone, { id: 'TimeZone', examples: ['Europe/Berlin'] });
models.add(payment, { id: 'Payment', examples: [{ paymentToken: 'tok_accepted' }] });

/**
 * Builds the OpenAPI 3.1 description of the API from the contract's table of operations.
 * @param serverUrl where the API is reached: its origin, or `/` if only the reader knows
 */
export function describeApi(serverUrl: string): Json {
  const schemas: Json = {};
  /** The JSON Schema of a type. Models become references; their own schemas are collected in `schemas`. */
  const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Json => {
    const { $schema, $defs, ...schema } = z.toJSONSchema(type, {
      ...{ io, metadata: models, unrepresentable: 'any', reused: 'inline' },
      override: ({ zodSchema, jsonSchema }) => {
        // A response may gain fields: clients must not refuse what they do not know. A strict object is also part of requests.
        if (io === 'output' && !isStrict(zodSchema)) delete jsonSchema.additionalProperties;
        delete jsonSchema.id;
        joinNull(jsonSchema);
        // The format says it, and generators understand it better than a long pattern.
        if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      },
    }) as Json & { $defs?: Json };
    const referenced = JSON.parse(JSON.stringify({ schema, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'));
    for (const [id, model] of Object.entries(referenced.$defs ?? {})) {
      if (id in schemas && !isDeepStrictEqual(schemas[id], model)) throw new Error(`two schemas for the model ${id}`);
      schemas[id] = model;
    }
    return referenced.schema;
  };
  const problemSchema = schemaOf(problem, 'output');

  const operations = (Object.keys(paths) as Operation[]).map((name) => {
    const [method, path] = paths[name];
    return { method: method.toLowerCase(), path: path.replace(/:([A-Za-z]+)/g, '{$1}'), name };
  });
  const items: Record<string, Json> = {};
  for (const { method, path, name } of operations) {
    items[path] ??= {};
    (items[path] as Json)[method] = describe(name);
  }
  Object.assign(items, probes(problemSchema));

  function describe(name: Operation): Json {
    const { summary, description, access, limit: policy, schema, problems: own }: Route = routes[name];
    const isLimited = typeof policy === 'string' || name === 'spendPlaygroundTokens';
    const body = name === 'receivePaymentEvent' ? providerEvent : schema.body;
    return {
      operationId: name,
      summary,
      description: description ?? `${summary}.`,
      tags: [tagOf(name)],
      security: securityOf(access),
      parameters: [
        ...parametersOf('path', schema.params),
        ...parametersOf('query', schema.querystring),
        ...parametersOf('header', name === 'receivePaymentEvent' ? webhookHeaders : schema.headers),
      ],
      ...(body && {
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
      }),
      responses: { ...successOf(name, schema.response, isLimited), ...failuresOf(name, access, isLimited, own) },
    };
  }

  function parametersOf(place: 'path' | 'query' | 'header', type: z.ZodType | undefined) {
    if (!type) return [];
    const { properties = {}, required = [] } = schemaOf(type, 'input') as { properties?: Json; required?: string[] };
    return Object.entries(properties).map(([name, schema]) => ({
      name: place === 'header' ? (headerNames[name] ?? name) : name,
      in: place,
      description: parameters[name],
      required: place === 'path' || required.includes(name),
      schema,
    }));
  }

  function successOf(name: Operation, response: Route['schema']['response'], isLimited: boolean): Json {
    const common = isLimited ? { headers: limitHeaders } : {};
    if (name === 'readTicketCode') {
      const content = { 'image/svg+xml': { schema: { type: 'string' } } };
      return { 200: { description: 'The QR code', ...common, content } };
    }
    return Object.fromEntries(
      Object.entries(response).map(([status, type]) => [
        status,
        status === '204'
          ? { description: 'Done', ...common }
          : {
              description: 'Success',
              ...common,
              content: { 'application/json': { schema: schemaOf(type, 'output') } },
            },
      ]),
    );
  }

  function failuresOf(name: Operation, access: Access, isLimited: boolean, own: readonly ProblemCode[]): Json {
    const [method] = paths[name];
    const { params, querystring, body }: Route['schema'] = routes[name].schema;
    const codes: ProblemCode[] = [
      ...own,
      ...(params || querystring || body ? (['validation_failed'] as const) : []),
      ...(body ? (['malformed_request', 'too_large', 'unsupported_media_type'] as const) : []),
      ...(access === 'everybody' ? [] : (['unauthenticated'] as const)),
      ...(access === 'everybody' || access === 'user' ? [] : (['forbidden'] as const)),
      ...(method === 'GET' ? [] : (['cross_origin'] as const)),
      ...(isLimited ? (['rate_limited', 'suppressed'] as const) : []),
      'internal_error',
      'store_unavailable',
      ...(method === 'GET' ? [] : (['outcome_unknown'] as const)),
    ];
    const byStatus = new Map<number, ProblemCode[]>();
    for (const code of new Set(codes)) {
      const { status } = problems[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    return Object.fromEntries(
      [...byStatus].map(([status, list]) => [
        status,
        {
          description: list.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
          ...(isLimited && {
            headers: status === 429 ? { ...limitHeaders, 'Retry-After': limitHeader('RetryAfter') } : limitHeaders,
          }),
          content: { 'application/problem+json': { schema: problemSchema } },
        },
      ]),
    );
  }

  return {
    openapi: '3.1.0',
    info: {
      title: 'MiniTickets',
      version: '1',
      summary: 'A ticketing application to study',
      description:
        'Events, bookings, payments and check-ins. Errors are `application/problem+json` (RFC 9457): switch on their `error` code. Every response of a rate-limited operation carries its budget in `X-RateLimit-*` and `RateLimit`.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'MiniTickets', url: `${serverUrl === '/' ? 'https://minitickets.example' : serverUrl}/` },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set([...operations.map(({ name }) => tagOf(name)), 'health'])].toSorted().map((name) => ({
      name,
      description: `Operations on ${name.replaceAll('-', ' ')}`,
    })),
    paths: items,
    components: {
      schemas,
      headers: limitHeaderComponents,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'The cookie that a log-in sets.' },
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer mt_…`.' },
      },
    },
  };
}

/** Turns "a text or null" into one schema with two types, which generators and the API reference read better than `anyOf`. */
function joinNull(schema: z.core.JSONSchema.BaseSchema) {
  const [only, none, ...more] = schema.anyOf ?? [];
  if (more.length > 0 || typeof only !== 'object' || typeof none !== 'object' || none.type !== 'null') return;
  if (typeof only.type !== 'string' || only.type === 'object' || only.enum || only.const) return;
  delete schema.anyOf;
  Object.assign(schema, only, { type: [only.type, 'null'] });
}

const isStrict = ({ _zod: { def } }: z.core.$ZodTypes) =>
  def.type === 'object' && def.catchall?._zod.def.type === 'never';

/** The health probes, which every caller may ask and nothing limits. */
const probes = (problemSchema: Json) => {
  const body = { type: 'object', properties: { status: { type: 'string' }, task: { type: 'string' } } };
  const failure = { 'application/problem+json': { schema: problemSchema } };
  const probe = (operationId: string, summary: string) => ({
    get: {
      ...{ operationId, summary, description: `${summary}.`, tags: ['health'], security: [] },
      responses: {
        200: { description: 'Yes', content: { 'application/json': { schema: body } } },
        431: { description: `\`headers_too_large\`: ${problems.headers_too_large.title}.`, content: failure },
        503: { description: 'No', content: failure },
      },
    },
  });
  return {
    '/health/live': probe('checkLiveness', 'Does this task answer'),
    '/health/ready': probe('checkReadiness', 'Can this task do all of its work'),
  };
};

/** The noun of an operation's path: `/v1/events/:event/ticket-types` is about events. */
const tagOf = (name: Operation) => paths[name][1].split('/')[2] as string;

const securityOf = (access: Access) =>
  access === 'everybody'
    ? []
    : access === 'session' || access === 'admin'
      ? [{ session: [] }]
      : [{ session: [] }, { apiKey: [] }];

const webhookHeaders = z.object({ [headers.sandboxSignature]: z.string() });

/** Header names as people write them; HTTP does not mind. */
const headerNames: Readonly<Record<string, string>> = {
  [headers.idempotencyKey]: 'Idempotency-Key',
  [headers.sandboxSignature]: 'Sandbox-Signature',
};

/** What a parameter means, by its name: a name means the same in every operation. */
const parameters: Readonly<Record<string, string>> = {
  id: 'The id of the resource: a UUID',
  event: 'The id or the slug of the event',
  ticketType: 'The id of the ticket type',
  key: 'The id of the API key, not the key itself',
  policy: 'The name of the rate limit policy',
  tier: 'The tier that the limit is for; `all` where a policy makes no difference between tiers',
  identity: 'The identity that has a limit of its own: `user:…`, `key:…`, `ip:…`',
  bucket: 'The name of the bucket; to explain it, also the identity: `user:…`, `key:…`, `ip:…`, `account:…`',
  email: 'The complete e-mail address of the account, in any of its spellings',
  limit: 'How many items a page has at most',
  cursor: '`nextCursor` of the previous page; the first page without it',
  search: 'Words that must all occur; case, accents, ligatures and the kind of dash make no difference',
  mine: 'Only my own events, drafts and past ones included',
  cost: 'How many tokens the request spends',
  minutes: 'How many minutes to look back, the current one included',
  most: 'How many of the busiest identities to list',
  [headers.idempotencyKey]: 'Makes retries safe: the same key and body get the first response again for 24 hours',
  [headers.sandboxSignature]: 'The provider’s signature of the body, `t=…,v1=…`',
};

const wholeNumber = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });
const limitHeaderComponents = {
  Limit: wholeNumber('The burst of the bucket with the fewest tokens left'),
  Remaining: wholeNumber('Whole tokens left'),
  Reset: wholeNumber('Seconds until the bucket is full again'),
  RateLimitPolicy: {
    description: 'The policies in force (draft-ietf-httpapi-ratelimit-headers-10)',
    schema: { type: 'string' },
  },
  RateLimit: { description: 'What is left under each policy (same draft)', schema: { type: 'string' } },
  RetryAfter: wholeNumber('Seconds to wait before the same request is served'),
};
const limitHeader = (name: keyof typeof limitHeaderComponents) => ({ $ref: `#/components/headers/${name}` });
const limitHeaders = {
  'X-RateLimit-Limit': limitHeader('Limit'),
  'X-RateLimit-Remaining': limitHeader('Remaining'),
  'X-RateLimit-Reset': limitHeader('Reset'),
  'RateLimit-Policy': limitHeader('RateLimitPolicy'),
  RateLimit: limitHeader('RateLimit'),
};
