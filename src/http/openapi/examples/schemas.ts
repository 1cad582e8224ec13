// Examples of the operations on schemas. Recorded: see index.ts.
import type { Examples } from './example.js';

const SCHEMA = {
  schema_id: 'schema_ea851t6q2fkdag9dk0h9',
  name: 'review',
  version: 1,
  json_schema: {
    type: 'object',
    properties: {
      phase: { type: 'string', enum: ['plan', 'review', 'done'] },
      tasks: { type: 'array', items: { type: 'string' } },
      note: { type: 'string' },
    },
    required: ['phase'],
  },
  description: null,
  compatibility: 'none',
  created_at: '2026-01-01T12:00:00.000Z',
  updated_at: '2026-01-01T12:00:00.000Z',
};

export const SCHEMAS: Examples = {
  registerSchema: {
    body: {
      name: 'review',
      json_schema: {
        type: 'object',
        properties: {
          phase: { type: 'string', enum: ['plan', 'review', 'done'] },
          tasks: { type: 'array', items: { type: 'string' } },
          note: { type: 'string' },
        },
        required: ['phase'],
      },
    },
    status: 201,
    answer: SCHEMA,
  },
  listSchemas: {
    query: { name: 'review', limit: 10 },
    status: 200,
    answer: {
      items: [
        {
          ...SCHEMA,
          schema_id: 'schema_cn4jcr5jgp5zweexz7bk',
          version: 2,
          json_schema: {
            type: 'object',
            properties: {
              phase: { type: 'string', enum: ['plan', 'review', 'done'] },
              tasks: { type: 'array', items: { type: 'string' } },
              note: { type: 'string' },
            },
            required: ['phase'],
            title: 'Review',
          },
        },
      ],
      next_cursor: null,
    },
  },
  getSchema: { path: { name: 'review' }, query: { version: 1 }, status: 200, answer: SCHEMA },
  validateDocument: {
    path: { name: 'review' },
    query: { version: 1 },
    body: { data: { phase: 'begun' } },
    status: 200,
    answer: {
      schema_name: 'review',
      schema_version: 1,
      valid: false,
      errors: [
        {
          pointer: '/phase',
          keyword: 'enum',
          message: 'must be one of "plan", "review", "done"; it is "begun"',
          expected: { enum: ['plan', 'review', 'done'] },
        },
      ],
    },
  },
  listSchemaVersions: {
    path: { name: 'review' },
    query: { limit: 10 },
    status: 200,
    answer: {
      items: [
        {
          ...SCHEMA,
          schema_id: 'schema_cn4jcr5jgp5zweexz7bk',
          version: 2,
          json_schema: {
            type: 'object',
            properties: {
              phase: { type: 'string', enum: ['plan', 'review', 'done'] },
              tasks: { type: 'array', items: { type: 'string' } },
              note: { type: 'string' },
            },
            required: ['phase'],
            title: 'Review',
          },
        },
        SCHEMA,
      ],
      next_cursor: null,
    },
  },
  deleteSchemaVersion: { path: { name: 'scratch', version: 1 }, status: 204 },
};
