// The overview, the playground of a schema, and who may act, in a real Chromium on a real coordinator.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/main/commands/tokens.js';
import { PlayedRunner } from '../support/played-runner.js';
import { must } from '../support/stage.js';
import { openSite } from './browser.js';
import { openDashboard, type OpenDashboard } from './pages.js';
import { tellStory } from './story.js';

let folder: OpenDashboard['folder'];
let pages: OpenDashboard['pages'];
let site: OpenDashboard['site'];
let close: OpenDashboard['close'];

beforeAll(async () => {
  ({ folder, pages, site, close } = await openDashboard());
}, 300_000);

afterEach(() => pages.close());

afterAll(() => close());

const start = async (session_name: string) =>
  must(await site.client.runs.create({ type: 'start_session', session_name, prompt: 'Go.' }));

it('says why each run and tree waits, until a runner takes it', async () => {
  await start('stuck');
  const { page, complaints } = await pages.open('/', site);
  const runs = page.getByRole('region', { name: 'Runs that wait' }).first();
  await runs.getByText('No runner is registered').waitFor();
  await page
    .getByRole('region', { name: 'Trees in flight' })
    .first()
    .getByText('stuck: no runner has taken its run yet')
    .waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const runner = await PlayedRunner.register(site.client);
  const run = await runner.take('stuck');
  await runs.waitFor({ state: 'detached' });
  await page.getByText('It does not wait: its sessions are at work.').waitFor();
  await page.getByRole('row', { name: /played .* 1 of 16/ }).waitFor();
  await runner.complete(run, 'done');
  await page.getByText('No session is at work.').waitFor();
  expect(complaints).toEqual([]);
});

it('says how many failures and trees it does not show, and what pending sessions wait for', async () => {
  const own = await openSite(folder);
  const { client } = own;
  const external = (session_name: string, over: object = {}) =>
    client.sessions.create({ session_name, external: true, ...over }).then(must);
  await tellStory(client, 'parent');
  const completion = { timeout_ms: 600_000, retry_delay_ms: 0, max_attempts: 1 };
  const owing = { parent_session_name: 'parent', callback: true, delivery: 'pull', completion };
  for (let n = 0; n < 51; n += 1) {
    const { session_id: id } = await external(`child-${String(n)}`, owing);
    must(await client.sessions.report(id, { type: 'session_start' }));
    for (const result_text of ['done', 'again, nothing recorded'])
      must(await client.sessions.report(id, { type: 'session_stop', result_text }));
  }
  expect(must(await client.operations.overview()).completions['failed']).toBe(53);
  for (let n = 0; n < 204; n += 1) await external(`root-${String(n)}`);
  const { page, complaints } = await pages.open('/', own);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('3 more: all failed completions').waitFor();
  const trees = page.getByRole('region', { name: 'Trees in flight' }).first();
  await trees.getByText('root-1: it has not reported its start yet').waitFor();
  await trees.getByText('4 more: see the states that changed last').waitFor();
  await attention.getByRole('link', { name: 'all failed completions' }).click();
  await page.waitForURL(/completions\?status=failed/);
  expect(complaints).toEqual([]);
  await own.close();
});

it('charts writes and runs of the last hour, with the numbers as text', async () => {
  await tellStory(site.client, 'charted');
  const runner = await PlayedRunner.register(site.client);
  await start('timed');
  await runner.complete(await runner.take('timed'), 'done');
  const { page, complaints } = await pages.open('/', site);
  const charts = page.getByRole('region', { name: 'The last hour' });
  const writes = charts.getByRole('figure').filter({ hasText: 'Writes a minute' });
  await writes.getByText(/accepted: \d+, at most [1-9]/).waitFor();
  await charts.getByText(/took: \d+ m?s, at most/).waitFor();
  const drawn: number = await page.evaluate(
    "(({ width, height }, context) => context.getImageData(0, 0, width, height).data.filter((byte) => byte !== 0).length)(document.querySelector('.chart canvas'), document.querySelector('.chart canvas').getContext('2d'))",
  );
  expect(drawn).toBeGreaterThan(100);
  expect(complaints).toEqual([]);
});

it('validates a pasted document against a version, by pointer, and writes nothing', async () => {
  const json_schema = {
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
  };
  must(await site.client.schemas.register({ name: 'tried', json_schema }));
  const states = must(await site.client.operations.overview()).workflow_states.all;
  const { page, complaints } = await pages.open('/ui/schemas/tried', site);
  const panel = page.getByRole('region', { name: 'Try a document' });
  const document = panel.getByLabel('Document (JSON)');
  const validate = async (text: string) => {
    await document.fill(text);
    await panel.getByRole('button', { name: 'Validate' }).click();
  };
  await validate('{"steps": ["a", 1]}');
  await panel.getByRole('row', { name: /\/steps\/1 type/ }).waitFor();
  await validate('{"steps": ["a"]}');
  await panel.getByText('valid under version 1').waitFor();
  await validate('{"steps": ');
  await panel.getByText('This is not JSON').waitFor();
  await validate(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
  await panel.getByRole('alert').waitFor();
  expect(must(await site.client.operations.overview()).workflow_states.all).toBe(states);
  expect(complaints).toEqual([]);
  expect(await pages.faultsOf('playground', '/ui/schemas/tried', site)).toEqual([]);
});

it('finds states by the start of the name of their root', async () => {
  await tellStory(site.client, 'wanted');
  const { page } = await pages.open('/ui/states', site);
  await page.getByRole('link', { name: 'charted', exact: true }).waitFor();
  await page.getByLabel('Search').fill('wan');
  await page.keyboard.press('Enter');
  await page.waitForURL(/search=wan/);
  await page.getByRole('link', { name: 'charted', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'wanted', exact: true }).click();
  await page.getByRole('tree', { name: 'Document' }).waitFor();
});

it('lists the states that changed last first, when asked to', async () => {
  const own = await openSite(folder);
  const first = await tellStory(own.client, 'made-first');
  await tellStory(own.client, 'made-later');
  const writer = own.as({ sessionName: 'made-first' });
  must(await writer.states.ops(first.stateId, [{ op: 'set', pointer: '/n', value: 7 }], {}));
  const { page, complaints } = await pages.open('/ui/states', own);
  const names = page.locator('tbody').getByRole('link', { name: /^made-/ });
  await names.nth(1).waitFor();
  expect(await names.allTextContents()).toEqual(['made-later', 'made-first']);
  await page.getByLabel('First come').selectOption('the last changed');
  await page.waitForURL(/order=changed/);
  await expect.poll(() => names.allTextContents()).toEqual(['made-first', 'made-later']);
  await page.reload();
  await expect.poll(() => names.allTextContents()).toEqual(['made-first', 'made-later']);
  expect(complaints).toEqual([]);
  expect(await pages.faultsOf('states-changed', '/ui/states?order=changed', own)).toEqual([]);
  await own.close();
});

it('shows actions to who may use them alone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
  const db = join(dir, 'c.db');
  const tokenOf = async (name: string, role: string) => {
    let printed = '';
    const io: any = {
      stdout: { write: (text: string) => (printed += text) },
      stderr: { write: () => true },
      env: {},
    };
    expect(await createToken({ db, name, role, json: true } as any, io)).toBe(0);
    return String(JSON.parse(printed).token);
  };
  const [admin, reader] = [await tokenOf('boss', 'admin'), await tokenOf('watcher', 'reader')];
  const own = await openSite(folder, { db, auth: true });
  await tellStory(own.as({ token: admin }), 'guarded');
  for (const [token, buttons] of [
    [admin, 1],
    [reader, 0],
  ] as const) {
    const { page } = await pages.open('/ui/completions/guarded-builder', own);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('list', { name: 'Phases' }).waitFor();
    await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => undefined);
    if (buttons > 0) await page.getByRole('button', { name: 'Skip' }).waitFor();
    expect(await page.getByRole('button', { name: 'Skip' }).count()).toBe(buttons);
  }
  await own.close();
  rmSync(dir, { recursive: true, force: true });
});
