// What the official conformance suite finds of a server, read from the reports that it leaves.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Kit } from './kit.js';

export const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const PROGRAM = '@modelcontextprotocol/conformance/dist/index.js';

/** One thing that a scenario looked at. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

/** Scenarios by name, each with what it looked at. */
export type Report = ReadonlyMap<string, readonly Check[]>;

/** Runs all that the suite has for servers of a revision, whether that revision requires it or not. */
export async function runSuite(kit: Kit, url: string, revision: string): Promise<Report> {
  const out = mkdtempSync(join(kit.folder, 'report-'));
  const all = ['--suite', 'all', '--spec-version', revision];
  const ran = await kit.script(PROGRAM, ['server', '--url', url, ...all, '--output-dir', out]);
  const report = new Map<string, readonly Check[]>();
  for (const folder of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!folder.endsWith('checks.json')) continue;
    // server-<scenario>-<time>/checks.json
    const [, scenario] = /server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder) ?? [];
    if (scenario !== undefined)
      report.set(scenario, JSON.parse(readFileSync(join(out, folder), 'utf8')) as Check[]);
  }
  if (report.size === 0) throw new Error(`the suite reported nothing: ${ran.stdout}\n${ran.stderr}`);
  rmSync(out, { recursive: true, force: true });
  return report;
}

/** What is not as it should be. */
export function faultsOf(checks: readonly Check[]): string[] {
  return checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ''}`);
}

/** True where something was looked at, and all of it is as it should be. */
export function passes(checks: readonly Check[]): boolean {
  // Each message is held against the protocol's schema in any case: that alone is no scenario passed.
  const own = checks.filter(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid');
  return own.length > 0 && faultsOf(checks).length === 0;
}
