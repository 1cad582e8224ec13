// The views that list what the service works on, in a real Chromium on a real coordinator.
import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PlayedRunner } from '../support/played-runner.js';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';
import { HOSTILE, tellStory } from './story.js';

let folder: string;
let browser: Browser;
let pages: Pages;
let site: Site;
let runId: string;

const start = async (session_name: string, prompt = 'Do it.', on = site) =>
  must(await on.client.runs.create({ type: 'start_session', session_name, prompt })).run_id;

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
  site = await openSite(folder);
  await tellStory(site.client);
  runId = await start('asked', HOSTILE);
  must(await site.client.runners.register({ hostname: 'idle', executor_types: ['command'] }));
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

const VIEWS: readonly (readonly [string, () => string])[] = [
  ['runs', () => '/ui/runs'],
  ['run', () => `/ui/runs/${runId}`],
  ['runners', () => '/ui/runners'],
  ['completions', () => '/ui/completions'],
  ['completion', () => '/ui/completions/release-42-tester'],
];

describe('every list', () => {
  it.each(VIEWS)(
    'of %s has no serious violation for axe in both themes, and fits a narrow screen',
    async (name, path) => {
      expect(await pages.faultsOf(name, path(), site)).toEqual([]);
    },
  );

  it('says what to do where there is nothing', async () => {
    const empty = await openSite(folder);
    const { page, complaints } = await pages.open('/', empty);
    const views = page.getByRole('navigation', { name: 'Views' });
    for (const [name, hint] of [
      ['Completions', '--callback'],
      ['Runs', 'countersign run start'],
      ['Runners', 'countersign runner'],
    ] as const) {
      await views.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByRole('code').getByText(hint, { exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
    await empty.close();
  });

  it('shows 50 items of a page, and the way to the next', async () => {
    const many = await openSite(folder);
    for (let n = 1; n <= 51; n += 1) await start(`run-${String(n)}`, 'Do it.', many);
    const { page } = await pages.open('/ui/runs', many);
    await page.getByRole('link', { name: 'run-50', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'run-51', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'run-50', exact: true }).count()).toBe(0);
    expect(page.url()).toContain('cursor=');
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'run-1', exact: true }).waitFor();
    await many.close();
  });
});

describe('runs', () => {
  it('change as they go on, and are filtered by status and root session in the address', async () => {
    const runner = await PlayedRunner.register(site.client);
    await start('live');
    const { page, complaints } = await pages.open('/ui/runs', site);
    const row = page.getByRole('row').filter({ hasText: 'live' });
    await row.getByText('pending').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const run = await runner.take('live');
    await row.getByText('running').waitFor();
    await runner.complete(run, 'done');
    await row.getByText('completed').waitFor();
    await page.getByRole('link', { name: /^completed/ }).click();
    await page.getByRole('link', { name: 'asked' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=completed');
    await page.reload();
    await row.getByText('completed').waitFor();
    await page.getByRole('link', { name: /^all/ }).click();
    await page.getByLabel('Root session').fill('asked');
    await page.getByRole('button', { name: 'Filter' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'asked' }).waitFor();
    expect(page.url()).toContain('root=asked');
    await page.getByRole('link', { name: /^failed/ }).click();
    await page.getByText('No run fits these filters.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('show their prompt as text, and are stopped after a confirmation', async () => {
    const id = await start('stopped-here', HOSTILE);
    const { page, complaints } = await pages.open('/ui/runs', site);
    await page.getByRole('link', { name: id }).click();
    expect(await page.getByRole('region', { name: 'Text of the prompt' }).textContent()).toBe(HOSTILE);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(must(await site.client.runs.get(id)).status).not.toBe('stopped');
    const dialog = page.getByRole('dialog', { name: 'Stop?' });
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page
      .getByRole('region', { name: 'Run', exact: true })
      .getByText('stopped', { exact: true })
      .waitFor();
    expect(must(await site.client.runs.get(id)).status).toBe('stopped');
    await page.getByRole('link', { name: 'stopped-here' }).click();
    await page.getByRole('link', { name: 'Runs of this tree' }).click();
    await page.getByRole('link', { name: id }).waitFor();
    await page.goto(new URL('/ui/runs/no-such-run', site.url).href);
    await page.getByRole('alert').getByText('run not found').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('completions', () => {
  it('are filtered by status, and show each attempt as it begins, with its prompt', async () => {
    const { rootId } = await tellStory(site.client, 'phases');
    const { page, complaints } = await pages.open(`/ui/completions?root=${rootId}`, site);
    await page.getByRole('link', { name: 'phases-tester' }).waitFor();
    await page.getByRole('link', { name: 'pending', exact: true }).click();
    await page.getByRole('link', { name: 'phases-tester' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=pending');
    expect(page.url()).toContain(`root=${rootId}`);
    await page.getByRole('link', { name: 'phases-builder' }).click();
    const phases = page.getByRole('list', { name: 'Phases' });
    await phases.getByText('pending').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const first = page.getByRole('region', { name: 'Attempt 1', exact: true });
    await first.getByText('open', { exact: true }).waitFor();
    const { request } = must(await site.client.sessions.completion('phases-builder'));
    const prompt = page.getByRole('region', { name: 'Prompt of attempt 1', exact: true });
    expect(await prompt.textContent()).toBe(request?.prompt);
    must(await site.client.sessions.report('phases-builder', { type: 'session_stop', result_text: 'done' }));
    await first.getByText('no write', { exact: true }).waitFor();
    await first.getByText('only that of an open attempt is kept').waitFor();
    await page.getByRole('region', { name: 'Prompt of attempt 2', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('not needed');
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
    await phases.getByText('skipped').waitFor();
    await page.getByText('not needed').waitFor();
    expect(complaints).toEqual([]);
  });

  it('show the contract, the errors of an attempt, and the prompt of its run', async () => {
    const own = await openSite(folder);
    const runner = await PlayedRunner.register(own.client);
    must(await own.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await own.client.sessions.create({ session_name: 'top', external: true }));
    const { state_id } = must(
      await own.as({ sessionName: 'top' }).states.create({ schema_name: 'any', initial_data: {} }),
    );
    must(
      await own.client.runs.create({
        type: 'start_session',
        session_name: 'counter',
        parent_session_name: 'top',
        prompt: 'Count.',
        callback: true,
        completion: {
          contract: { pointer: '/count', schema: { type: 'integer' } },
          write_scope: ['/count'],
          retry_delay_ms: 0,
        },
      }),
    );
    await runner.complete(await runner.take('counter'), 'counted');
    const update = await runner.take('counter');
    const { page, complaints } = await pages.open('/ui/completions/counter', own);
    const prompt = page.getByRole('region', { name: 'Prompt of attempt 1', exact: true });
    await prompt.waitFor();
    expect(await prompt.textContent()).toBe(update.prompt);
    await page.getByRole('region', { name: 'What was agreed' }).getByText('"integer"').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const child = own.as({ sessionName: 'counter' });
    must(await child.states.mergePatch(state_id, { count: 'many' }, {}));
    await runner.complete(update, 'recorded');
    const first = page.getByRole('region', { name: 'Attempt 1', exact: true });
    await first.getByText('contract failed').waitFor();
    await first.getByRole('row').filter({ hasText: '/count' }).getByText('"integer"').waitFor();
    await first.getByRole('link', { name: update.run_id }).click();
    await page.getByRole('region', { name: 'Text of the prompt' }).waitFor();
    expect(complaints).toEqual([]);
    await own.close();
  });
});

describe('runners', () => {
  it('show their load as it changes, and when they were last seen', async () => {
    const own = await openSite(folder);
    await start('loading', 'Do it.', own);
    const { page, complaints } = await pages.open('/ui/runners', own);
    await page.getByText('A run waits for a runner.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const runner = await PlayedRunner.register(own.client);
    const run = await runner.take('loading');
    const row = page.getByRole('row').filter({ hasText: 'played' });
    await row.getByText('1 of 16').waitFor();
    await row.getByText('connected').waitFor();
    await row.getByText('just now').waitFor();
    await runner.complete(run, 'done');
    await row.getByText('0 of 16').waitFor();
    expect(complaints).toEqual([]);
    await own.close();
  });
});
