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

test('a text that may be null is one schema with two types', () => {
  type Model = { properties: Record<string, object> };
  const { schemas } = description.components as { schemas: Record<'Ticket', Model> };
  expect(schemas.Ticket.properties.checkedInAt).toEqual({ type: ['string', 'null'], format: 'date-time' });
  expect(JSON.stringify(description)).not.toMatch(/\{"type":"string"[^{}]*\},\{"type":"null"\}/);
});

test('Redocly’s strict rules find nothing in the description', async () => {
  expect(await redocly(description)).toEqual([]);
});

test('all of Spectral’s rules find nothing in the description', async () => {
  expect(await spectralFindings(description)).toEqual([]);
});

test.each([
  ['Redocly', redocly],
  ['Spectral', spectralFindings],
])('%s finds an undescribed operation', async (_, lint) => {
  const paths = { ...(description.paths as object), '/undescribed': { get: { responses: {} } } };
  expect(await lint({ ...description, paths })).not.toEqual([]);
});

async function redocly(described: object) {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(described);
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

async function spectralFindings(described: object) {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [[rulesets.oas as RulesetDefinition, 'all']],
    // OpenAPI 3.1 allows either the licence’s URL or its SPDX identifier; and the shop has no mailbox.
    rules: { 'license-url': 'off', 'contact-properties': 'off' },
  });
  const found = await linter.run({ ...described });
  return found.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`);
}
