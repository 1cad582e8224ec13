// The plugin of opencode and the program that it runs, without opencode.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pluginFile } from '../../src/agent-clients/opencode/plugin.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-plugin-'));
  const plugin = pluginFile('', { gate: false, waitMs: 0, url: undefined });
  writeFileSync(join(dir, 'plugin.mjs'), plugin.add('', new Set(['hooks']), ''));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Ends a turn, where `countersign` does so. @returns What the plugin tells the model, and people. */
function endsTurn(countersign: string): { prompted: string; shown: string } {
  writeFileSync(join(dir, 'countersign'), `#!${process.execPath}\n${countersign}`);
  chmodSync(join(dir, 'countersign'), 0o755);
  const script = join(dir, 'opencode.mjs');
  writeFileSync(
    script,
    `import { Countersign } from './plugin.mjs';
    let [prompted, shown] = ['', ''];
    const client = {
      tui: { showToast: async ({ body }) => (shown += body.message) },
      app: { log: async () => {} },
      session: {
        get: async () => ({ data: {} }),
        messages: async () => ({ data: [] }),
        promptAsync: async ({ body }) => (prompted += body.parts[0].text),
      },
    };
    const { event } = await Countersign({ client, directory: '.' });
    await event({ event: { type: 'session.idle', properties: { sessionID: 's' } } });
    process.stdout.write(JSON.stringify({ prompted, shown }), () => process.exit());`,
  );
  const out = execFileSync(process.execPath, [script], { cwd: dir, env: { PATH: dir }, encoding: 'utf8' });
  return JSON.parse(out) as { prompted: string; shown: string };
}

const LONG = '€'.repeat(100_000);

it('hands over an answer of many chunks as it was written', () => {
  const { prompted } = endsTurn(`
    const isStop = process.argv.includes('stop');
    console.log(JSON.stringify(isStop ? { decision: 'block', reason: '€'.repeat(100_000) } : { context: '' }));`);
  expect(prompted === LONG).toBe(true);
});

it('tells people a trouble of many chunks as it was written', () => {
  const { shown } = endsTurn(`if (process.argv.includes('stop')) process.stderr.write('€'.repeat(100_000));
    else console.log('{"context": ""}');`);
  expect(shown === LONG).toBe(true);
});
