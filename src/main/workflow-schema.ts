// Reads the schema of workflow records, which ships with the product.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../domain/json/json.js';

const FILE = new URL('../../schemas/orchestrator-workflow.json', import.meta.url);

export function workflowSchema(): JsonObject {
  return JSON.parse(readFileSync(FILE, 'utf8')) as JsonObject;
}
