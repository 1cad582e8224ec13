// The OpenAPI document as other programs take it: a validator, a linter, a generator of types.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTs, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { ERRORS } from '../../../src/domain/errors.js';
import { RESPONSE_HEADERS } from '../../../src/http/openapi/headers.js';
import { ROOT } from '../../docs/markdown.js';
import { createSchemaEngine } from '../../../src/schema/index.js';
import { document, faultsOf, OPERATIONS, resolved } from './conformity.js';

const dir = mkdtempSync(join(ROOT, 'node_modules', '.countersign-openapi-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Every schema object within a part of the document, with its place. */
function* schemasIn(value: unknown, place = ''): Generator<{ schema: any; place: string }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) {
    if (name === 'example' || name === 'examples') continue;
    if (name === 'schema' || name === 'items') yield { schema: one, place: `${place}/${name}` };
    if (name === 'properties' || name === 'schemas') {
      for (const [member, schema] of Object.entries(one))
        yield { schema, place: `${place}/${name}/${member}` };
    }
    yield* schemasIn(one, `${place}/${name}`);
  }
}

const all = [...schemasIn(document)];

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  test('passes the recommended rules of a linter', { timeout: 60_000 }, async () => {
    const rules = { 'operation-2xx-response': 'off' } as const; // a WebSocket is answered with 101
    const config = await createConfig({ extends: ['recommended'], rules });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  test('makes types that a strict compiler takes, and not too many', { timeout: 120_000 }, async () => {
    const text = astToString(await openapiTs(structuredClone(document)));
    const file = join(dir, 'types.ts');
    writeFileSync(file, text);
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    });
    const faults = ts.getPreEmitDiagnostics(program);
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    expect(text.split('\n').length).toBeLessThan(12_000);
  });

  test('has no schema that says nothing', () => {
    expect(all.length).toBeGreaterThan(500);
    const empty = all.filter(({ schema }) => Object.keys(schema).every((name) => name === 'description'));
    expect(empty.map(({ place }) => place)).toEqual([]);
  });

  test('offers no schema as a boolean, which admission refuses', async () => {
    const engine = createSchemaEngine(DEFAULT_LIMITS);
    const { JsonSchema, Condition } = document.components.schemas;
    for (const schema of [true, false]) {
      expect(await engine.admit(schema, 'value')).toMatchObject({ failure: { error: 'invalid_schema' } });
      expect(faultsOf(JsonSchema, schema)).not.toEqual([]);
      expect(faultsOf(Condition, schema)).not.toEqual([]);
    }
    await engine.close();
    expect([
      ...faultsOf(JsonSchema, {}),
      ...faultsOf(Condition, {}),
      ...faultsOf(Condition, 'phase=complete'),
    ]).toEqual([]);
  });

  test('gives every closed list a type', () => {
    const untyped = all.filter(
      ({ schema }) => (schema.enum ?? schema.const) !== undefined && schema.type === undefined,
    );
    expect(untyped.map(({ place }) => place)).toEqual([]);
  });

  test('types the members of each problem', () => {
    const [, own] = document.components.schemas.VersionConflictProblem.allOf;
    expect(own.properties.error).toEqual({ type: 'string', const: 'version_conflict' });
    expect(Object.keys(own.properties)).toEqual(
      expect.arrayContaining(['current_version', 'your_version', 'current_data']),
    );
  });

  test('declares every code that the service refuses with', () => {
    const text = JSON.stringify(document.components.schemas);
    const missing = Object.keys(ERRORS).filter((code) => !text.includes(`"const":"${code}"`));
    // Those of commands that open the database themselves.
    expect(missing).toEqual(['token_exists', 'token_not_found', 'database_unusable']);
  });

  test.each([
    ['/stream', 'Last-Event-ID', '12-3', '12'],
    ['/workflow-states/{id}/stream', 'Last-Event-ID', '12', '12-3'],
    ['/workflow-states/{id}', 'If-Match', '"7"', '7'],
    ['/workflow-states/{id}', 'If-Match', ',"7" ,, W/"8",', '"7""8"'],
    ['/workflow-states/{id}', 'If-Match', ' * ', '*, "7"'],
    ['/workflow-states/{id}', 'If-None-Match', '7', null],
  ])('of %s gives %s the form that it takes there', (path, name, taken, refused) => {
    const parameters: any[] = document.paths[path].get.parameters.map(resolved);
    const { schema } = parameters.find((one) => one.name === name && one.in === 'header');
    const form = new RegExp(schema.pattern ?? '');
    expect(form.test(taken)).toBe(true);
    if (refused !== null) expect(form.test(refused)).toBe(false);
  });

  test('shares what operations have in common', () => {
    for (const { id, spec } of OPERATIONS) {
      for (const [status, answer] of Object.entries<any>(spec.responses)) {
        if (answer.content?.['application/problem+json'] !== undefined)
          expect(answer.$ref, `${id} ${status}`).toMatch(/^#\/components\/responses\//);
      }
      for (const parameter of spec.parameters) {
        if (id !== 'openSocket') expect(parameter.$ref, id).toMatch(/^#\/components\/parameters\//);
      }
    }
    expect(JSON.stringify({ ...document, paths: {} }).length).toBeLessThan(200_000);
  });

  test('declares the method that a path does not take, and what comes with each answer', () => {
    for (const { id, spec } of OPERATIONS) {
      const notAllowed = resolved(spec.responses['405']);
      expect(Object.keys(notAllowed.headers), id).toContain('Allow');
      const unknown = spec.responses['401'];
      if (unknown !== undefined) expect(Object.keys(resolved(unknown).headers)).toContain('WWW-Authenticate');
      const busy = resolved(spec.responses['503']);
      if (busy?.content?.['application/problem+json'] !== undefined) {
        expect(Object.keys(busy.headers), id).toContain('Retry-After');
      }
    }
    expect(Object.keys(document.components.headers)).toHaveLength(Object.keys(RESPONSE_HEADERS).length);
  });
});
