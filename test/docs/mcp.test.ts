// What docs/mcp.md says of the conformance suite is what `npm run test:conformance` holds the server to.
import { describe, expect, test } from 'vitest';
import { NOT_APPLICABLE, PASSING, REVISIONS } from '../conformance/scenarios.js';
import { TOOLS } from '../../src/mcp/index.js';
import { sectionOf, tableRows, textOf } from './markdown.js';

const page = textOf('docs/mcp.md');
const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('docs/mcp.md', () => {
  const rows = tableRows(sectionOf(page, 'Conformance'));

  test.each(REVISIONS)('lists the scenarios that pass on %s', (revision) => {
    const row = rows.find(([first, ...rest]) => first === revision && rest.length === 1);
    expect(quoted(row?.[1])).toEqual([...PASSING[revision]].sort());
  });

  test.each(REVISIONS)('lists the scenarios that do not apply on %s, each with the reason', (revision) => {
    const found = rows.filter((cells) => cells.length === 3 && cells[0]?.split(', ').includes(revision));
    const listed = Object.fromEntries(found.map(([, scenario, why]) => [quoted(scenario)[0], why]));
    expect(listed).toEqual(NOT_APPLICABLE[revision]);
  });

  test('has every tool in its table', () => {
    const listed = tableRows(sectionOf(page, 'Tools')).flatMap(([first]) => quoted(first));
    expect(listed.sort()).toEqual(TOOLS.map(({ name }) => name).sort());
  });
});
