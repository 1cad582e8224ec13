// Which schemas hold a workflow record, which modes may follow, what verdicts come to, and what the words of a wait mean.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { mayEnter, modesOf } from '../../../src/domain/workflow/modes.js';
import {
  satisfiesNamed,
  CONDITION_NAMES,
  namedCondition,
} from '../../../src/domain/workflow/named-conditions.js';
import { verdictSummary } from '../../../src/domain/workflow/verdicts.js';
import {
  declaredMembers,
  declaresWorkflow,
  emptyRecord,
  missingMembers,
  withRecord,
} from '../../../src/domain/workflow/workflow.js';

const AT = '2026-01-01T00:00:00.000Z';
const record = { orchestrator_workflow: { type: 'object' } };

describe('a schema', () => {
  it.each<[string, JsonObject, boolean]>([
    ['that declares the record', { properties: record }, true],
    ['that declares it in a part', { allOf: [{ properties: record }] }, true],
    [
      'that refers to a definition with it',
      { allOf: [{ $ref: '#/$defs/base' }], $defs: { base: { properties: record } } },
      true,
    ],
    [
      'that refers to one beside other definitions',
      {
        allOf: [{ $ref: '#/definitions/base' }],
        $defs: { other: {} },
        definitions: { base: { properties: record } },
      },
      true,
    ],
    [
      'that declares it beside a reference',
      { allOf: [{ $ref: '#/$defs/other', properties: record }], $defs: { other: {} } },
      true,
    ],
    [
      'of draft-07 that has it beside a reference, where it counts for nothing',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        allOf: [{ $ref: '#/definitions/other', properties: record }],
        definitions: { other: {} },
      },
      false,
    ],
    [
      'that refers to a definition which has it in a part, and parts of its own',
      {
        allOf: [{ allOf: [{ $ref: '#/$defs/a~1b' }] }],
        $defs: {
          'a/b': { allOf: [{ $ref: '#/$defs/a~1b' }, { $ref: '#/$defs/base' }] },
          base: { properties: record, allOf: [{}] },
        },
      },
      true,
    ],
    ['of something else', { properties: { plan: {} } }, false],
    ['that only requires it', { required: ['orchestrator_workflow'] }, false],
    ['that refers to nothing', { allOf: [{ $ref: '#/$defs/none' }] }, false],
    [
      'that refers to itself',
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
      false,
    ],
  ])('%s holds a workflow record or not', (_, schema, holds) => {
    expect(declaresWorkflow(schema)).toBe(holds);
  });

  it('that declares some members has only those filled in', () => {
    const names = declaredMembers({ properties: { ...record, current_mode: {} } });
    const filled = withRecord({ mine: 1 }, AT, names);
    expect(Object.keys(filled).sort()).toEqual(['current_mode', 'mine', 'orchestrator_workflow']);
  });
});

describe('an empty record', () => {
  it('is added member by member, and what is there stays', () => {
    const document = { orchestrator_workflow: { workflow_phase: 'validation' } };
    const whole = withRecord(document, AT);
    const paths = missingMembers(document, whole, ['orchestrator_workflow']).map(({ path }) => path);
    expect(paths).toContain('/orchestrator_workflow/agent_history');
    expect(paths).not.toContain('/orchestrator_workflow/workflow_phase');
    const empty = emptyRecord(AT);
    expect(missingMembers(empty, withRecord(empty, AT), Object.keys(empty))).toEqual([]);
  });
});

describe('a mode', () => {
  const modes = modesOf({
    modes: [{ name: 'plan', next: ['code'] }, { name: 'code' }, { next: [] }, 'nothing', { name: 1 }],
  });
  it.each([
    ['plan', 'code', true],
    ['plan', 'plan', true],
    ['plan', 'disabled', true],
    ['code', 'plan', true],
    ['disabled', 'code', true],
    ['plan', 'ship', false],
    ['code', 'ship', false],
  ])('%s may be followed by %s: %s', (from, to, may) => {
    const result = mayEnter(modes, from, to);
    expect(result.ok ? null : result.failure.error).toBe(may ? null : 'mode_refused');
  });
  it('may be followed by any where the schema defines none', () => {
    expect(mayEnter(modesOf({}), 'a', 'b').ok).toBe(true);
  });
});

describe('the verdicts', () => {
  const of = (...verdicts: readonly JsonObject[]) => ({ orchestrator_workflow: { verdicts } });
  const said = (agent: string, decision: string) => ({ agent, decision, reasoning: 'so' });
  it.each<[string, JsonObject, boolean, readonly string[]]>([
    ['none', of(), false, []],
    ['one approval', of(said('a', 'approve')), true, []],
    ['a rejection', of(said('a', 'approve'), said('b', 'reject')), false, ['b']],
    ['a rejection taken back', of(said('b', 'reject'), said('b', 'approve')), true, []],
    ['an approval taken back', of(said('b', 'approve'), said('b', 'needs_revision')), false, ['b']],
    ['a condition', of(said('a', 'conditional')), false, ['a']],
    ['something else', { orchestrator_workflow: { verdicts: [1, null] } }, false, []],
    ['no record', {}, false, []],
  ])('%s come to this', (_, document, clear, blocking) => {
    const summary = verdictSummary(document);
    expect(summary.clear).toBe(clear);
    expect(summary.blocked_by.map(({ agent }) => agent)).toEqual(blocking);
    const holds = (word: string) => satisfiesNamed(namedCondition(word) ?? {}, document);
    expect([holds('verdicts-clear'), holds('verdicts-blocked')]).toEqual([clear, blocking.length > 0]);
  });
});

describe('a word of a wait', () => {
  it('stands for a condition, and any other text for none', () => {
    for (const word of CONDITION_NAMES)
      expect(namedCondition(word)).toMatchObject({ $comment: expect.stringContaining(word) });
    for (const text of ['', 'phase=', 'phase=done', 'verdicts', 'toString']) {
      expect(namedCondition(text)).toBeNull();
    }
  });
});
