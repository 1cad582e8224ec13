// The terms of a completion as sentences, for prompts.
import { boundedJson, boundedText, visible } from '../excerpt.js';
import type { Contract } from '../records/records.js';

export function contractText({ pointer, schema }: Contract, charactersMax: number): string {
  const where =
    pointer === '' ? 'The whole document' : `The value at ${boundedText(visible(pointer), charactersMax)}`;
  return `${where} has to satisfy this JSON Schema:\n${boundedJson(schema, charactersMax)}`;
}

export function writeScopeText(writeScope: readonly string[], charactersMax: number): string {
  const where =
    writeScope.length === 0 ? '(nowhere)' : boundedText(visible(writeScope.join(', ')), charactersMax);
  return `You may write only at or under: ${where}`;
}
