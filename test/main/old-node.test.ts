// The program under a version of Node.js that is too old for it.
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { Program } from '../support/program.js';

/** The program gets to know this version in place of its own. */
const under = (version: string) => {
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const code = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

it.each(['18.20.8', '20.18.3'])('says under Node.js %s which version it needs', async (version) => {
  const { ended } = await Program.start(['--version'], { env: under(version) });
  const { code, stdout, stderr } = await ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(`>=${/needs Node\.js (\S+) or newer; this is (\S+)/.exec(stderr)?.[1] ?? ''}`).toBe(
    manifest.engines.node,
  );
  expect(stderr).toContain(version);
});

it.each(['20.19.0', '22.0.0'])('runs under Node.js %s', async (version) => {
  const { ended } = await Program.start(['--version'], { env: under(version) });
  expect((await ended).code).toBe(0);
});
