import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { describeApi } from './openapi.ts';

/** The two linters that people check OpenAPI descriptions with, at their strictest. */

const description = describeApi('https://tickets.example');

test('a model that requests and responses share refuses unknown fields; one of responses alone may gain fields', () => {
  type Model = { additionalProperties?: boolean };
  const { schemas } = description.components as { schemas: Record<'Suppression' | 'Booking', Model> };
  expect(schemas.Suppression.additionalProperties).toBe(false);
  expect(schemas.Booking.additionalProperties).toBeUndefined();
});

test('Redocly’s strict rules find nothing in the description', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(description);
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('all of Spectral’s rules find nothing in the description', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [[rulesets.oas as RulesetDefinition, 'all']],
    // OpenAPI 3.1 allows either the licence’s URL or its SPDX identifier; and the shop has no mailbox.
    rules: { 'license-url': 'off', 'contact-properties': 'off' },
  });
  const found = await linter.run(description);
  expect(found.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});
