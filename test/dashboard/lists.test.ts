// The views that list what the service works on, in a real Chromium on a real coordinator.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PlayedRunner } from '../support/played-runner.js';
import { Receiver } from '../support/receiver.js';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';
import { HOSTILE, tellStory } from './story.js';

let folder: string;
let browser: Browser;
let pages: Pages;
let receiver: Receiver;
let site: Site;
let runId: string;
let webhookId: string;

const start = async (session_name: string, prompt = 'Do it.', on = site) =>
  must(await on.client.runs.create({ type: 'start_session', session_name, prompt })).run_id;

const hook = async (on: Site) =>
  must(await on.client.webhooks.create({ url: receiver.url(), events: ['workflow_state_created'] }))
    .webhook_id;

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
  site = await openSite(folder, { webhookAllow: ['127.0.0.0/8'] });
  await tellStory(site.client);
  runId = await start('asked', HOSTILE);
  const json_schema = { type: 'object', properties: { tasks: { type: 'array' } } };
  must(await site.client.schemas.register({ name: 'release', json_schema }));
  receiver = await Receiver.open();
  receiver.script = () => ({ status: 410, body: HOSTILE });
  webhookId = await hook(site);
  must(await site.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await site.client.sessions.create({ session_name: 'told', external: true }));
  const found = site.as({ sessionName: 'told' });
  must(await found.states.create({ schema_name: 'any', initial_data: {} }));
  must(await site.client.runners.register({ hostname: 'idle', executor_types: ['command'] }));
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
  await receiver.close();
});

const VIEWS: readonly (readonly [string, () => string])[] = [
  ['runs', () => '/ui/runs'],
  ['run', () => `/ui/runs/${runId}`],
  ['runners', () => '/ui/runners'],
  ['callbacks', () => '/ui/callbacks'],
  ['webhooks', () => '/ui/webhooks'],
  ['webhook', () => `/ui/webhooks/${webhookId}`],
  ['schemas', () => '/ui/schemas'],
  ['schema', () => '/ui/schemas/release?from=1'],
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
      ['Runs', 'countersign session start'],
      ['Callbacks', '--callback'],
      ['Runners', 'countersign runner'],
      ['Webhooks', 'countersign webhook add'],
      ['Schemas', 'countersign schema register'],
    ] as const) {
      await views.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByRole('code').getByText(hint, { exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
    await empty.close();
  });

  it('shows 50 items of a page from either end, and the way to the next', async () => {
    const many = await openSite(folder);
    for (let n = 1; n <= 51; n += 1) await start(`run-${String(n)}`, 'Do it.', many);
    const { page } = await pages.open('/ui/runs', many);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('run-51').waitFor();
    expect(await link('run-1').count()).toBe(0);
    await link('Next page').click();
    await link('run-1').waitFor();
    expect(await link('run-2').count()).toBe(0);
    expect(page.url()).toContain('cursor=');
    await page.getByRole('link', { name: 'show oldest first' }).click();
    await link('run-50').waitFor();
    expect(page.url()).toContain('order=oldest');
    expect(page.url()).not.toContain('cursor=');
    expect(await link('run-51').count()).toBe(0);
    await link('Next page').click();
    await link('run-51').waitFor();
    await link('First page').click();
    await link('run-1').waitFor();
    await many.close();
  });
});

describe('a view that is loaded when it is opened', () => {
  it('says so where it cannot be loaded, and is there when the page is loaded again', async () => {
    const { page } = await pages.open('/', site);
    const gone = /\/assets\/runs-[^/]*\.js$/;
    await page.route(gone, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This view cannot be shown' }).waitFor();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.unroute(gone);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await pages.open('/ui/runs', site);
    await page.getByRole('link', { name: 'asked' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=claimed/);
    await page.getByText('No run fits these filters.').waitFor();
    await page.getByLabel('Root session').focus();
    await page.keyboard.type('asked');
    await page.keyboard.press('Enter');
    await page.waitForURL(/root=asked/);
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
    const tabs = page.getByRole('navigation', { name: 'Status' });
    const chosen = async () => (await tabs.locator('a[aria-current]').allTextContents()).join();
    expect(await chosen()).toMatch(/^all/);
    await page.getByRole('link', { name: /^completed/ }).click();
    await page.getByRole('link', { name: 'asked' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=completed');
    expect(await chosen()).toMatch(/^completed/);
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
    await dialog.getByLabel('Reason').fill('The wrong branch.');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The run was stopped: The wrong branch.').first().waitFor();
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
  it('of roots say that nobody waits for them', async () => {
    const { page } = await pages.open('/ui/completions?root=told', site);
    await page.getByText('a root owes none').waitFor();
    await page.getByRole('link', { name: 'told' }).click();
    await page.getByText('A root has no completion').waitFor();
  });

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

describe('callbacks', () => {
  it('change as they are delivered, and are redelivered after a confirmation', async () => {
    const { rootId } = await tellStory(site.client, 'tells');
    const { page, complaints } = await pages.open(`/ui/callbacks?root=${rootId}`, site);
    const rows = page.locator('tbody').getByRole('row');
    const held = rows.filter({ hasText: 'held' });
    const queued = rows.filter({ hasText: 'queued' });
    const delivered = rows.filter({ hasText: 'delivered' });
    await page.getByText('Live', { exact: true }).waitFor();
    await held.waitFor();
    await queued.waitFor();
    expect(await queued.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    const [callback] = must(await site.client.sessions.pullCallbacks(rootId, 0)).items;
    await delivered.getByText('Message').click();
    const message = await delivered.getByRole('region', { name: 'Text of the message' }).textContent();
    expect(message).toBe(callback?.message);
    await delivered.getByRole('button', { name: 'Redeliver' }).click();
    expect(must(await site.client.callbacks.list({ root_session: rootId, status: 'queued' })).items).toEqual(
      [],
    );
    await page.getByRole('dialog').getByLabel('Reason').fill('It was lost.');
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
    await queued.getByText('It was lost.').waitFor();
    expect(
      must(await site.client.callbacks.list({ root_session: rootId, status: 'queued' })).items,
    ).toMatchObject([{ callback_id: callback?.callback_id }]);
    await page.getByRole('link', { name: /^held/ }).click();
    await queued.waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=held');
    await held.waitFor();
    expect(complaints).toEqual([]);
  });

  it('say why one is dead, and why it cannot be redelivered', async () => {
    const own = await openSite(folder);
    const { rootId } = await tellStory(own.client);
    must(await own.client.sessions.remove(rootId));
    const { page } = await pages.open('/ui/callbacks?status=dead', own);
    const dead = page.getByRole('row').filter({ hasText: 'deleted' }).first();
    await dead.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('It was lost.');
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('alert').getByText('The parent was deleted.').waitFor();
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

describe('a runner that has not been seen for a minute', () => {
  it('is called silent', async () => {
    const own = await openSite(folder);
    await PlayedRunner.register(own.client);
    const { page } = await pages.open('/ui/states', own);
    await page.clock.setFixedTime(Date.now() + 61_000);
    await page.getByRole('link', { name: 'Runners', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'played' }).getByText('silent').waitFor();
    await own.close();
  });
});

describe('webhooks', () => {
  it('show why a delivery failed, and send it again once they are enabled', async () => {
    const own = await openSite(folder, { webhookAllow: ['127.0.0.0/8'] });
    const id = await hook(own);
    const { page, complaints } = await pages.open('/ui/webhooks', own);
    await page.getByRole('link', { name: receiver.url() }).click();
    await page.getByText('Nothing has been sent yet').waitFor();
    receiver.script = () => ({ status: 410, body: HOSTILE });
    await tellStory(own.client);
    const failed = page.getByRole('region', { name: 'Failed deliveries', exact: true }).first();
    const row = failed.locator('tbody').getByRole('row');
    await row.getByText('dead').waitFor();
    await row.getByText('1 attempt').click();
    expect(await row.getByRole('region', { name: 'Answer to attempt 1' }).textContent()).toBe(HOSTILE);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    await row.getByText('It answered 410.').waitFor();
    const facts = page.getByRole('region', { name: 'Webhook', exact: true });
    await facts.getByRole('button', { name: 'Enable' }).waitFor({ timeout: 15_000 });
    await facts.getByRole('button', { name: 'Enable' }).click();
    expect(must(await own.client.webhooks.get(id)).enabled).toBe(false);
    await page.getByRole('dialog', { name: 'Enable?' }).getByRole('button', { name: 'Enable' }).click();
    await facts.getByText('enabled', { exact: true }).waitFor();
    receiver.script = () => ({ status: 204 });
    await row.getByRole('button', { name: 'Redeliver' }).click();
    const again = page.getByRole('dialog', { name: 'Redeliver?' });
    await again.getByLabel('Reason').fill('The receiver is back.');
    await again.getByRole('button', { name: 'Redeliver' }).click();
    await failed.waitFor({ state: 'detached' });
    const all = page.getByRole('region', { name: 'Deliveries', exact: true }).first();
    await all.locator('tbody').getByText('delivered').waitFor();
    await all.locator('tbody').getByText('The receiver is back.').waitFor();
    await all.getByRole('link', { name: 'dead', exact: true }).click();
    await page.getByText('No delivery fits this filter.').waitFor();
    expect(page.url()).toContain('status=dead');
    expect(complaints).toEqual([]);
    await own.close();
  });

  it('are disabled with a reason that the service keeps', async () => {
    const own = await openSite(folder, { webhookAllow: ['127.0.0.0/8'] });
    const id = await hook(own);
    const { page } = await pages.open(`/ui/webhooks/${id}`, own);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable?' });
    await dialog.getByLabel('Reason').fill('it moves');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('region', { name: 'Webhook', exact: true }).getByText('it moves').waitFor();
    expect(must(await own.client.webhooks.get(id))).toMatchObject({ enabled: false });
    await page.goto(new URL('/ui/webhooks/no-such-webhook', own.url).href);
    await page.getByRole('alert').getByText('webhook not found').waitFor();
    await own.close();
  });
});

describe('schemas', () => {
  it('show the text of each version, and compare two of them', async () => {
    const own = await openSite(folder);
    const register = async (type: string) =>
      must(
        await own.client.schemas.register({
          name: 'plan',
          json_schema: { type: 'object', properties: { size: { type, description: HOSTILE } } },
        }),
      );
    await register('string');
    await register('integer');
    const { page, complaints } = await pages.open('/ui/schemas', own);
    await page.getByRole('link', { name: 'plan' }).click();
    await page.getByRole('region', { name: 'Text of version 2' }).getByText('"integer"').waitFor();
    await page.getByRole('link', { name: 'Compare with 1' }).click();
    await page.locator('.diff-code-delete').getByText('"type": "string"').waitFor();
    await page.locator('.diff-code-insert').getByText('"type": "integer"').waitFor();
    expect(page.url()).toContain('from=1');
    await page.reload();
    await page.locator('.diff-code-insert').waitFor();
    await page.getByRole('link', { name: 'End comparison' }).click();
    await page.locator('.diff').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Version 1', exact: true }).click();
    await page.getByRole('region', { name: 'Text of version 1' }).getByText('"string"').waitFor();
    expect(page.url()).toContain('version=1');
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(complaints).toEqual([]);
    await own.close();
  });

  it('list a new version as it comes, and lead to the states that use them', async () => {
    const own = await openSite(folder);
    await tellStory(own.client);
    const { page } = await pages.open('/ui/schemas/release', own);
    await page.getByRole('region', { name: 'Text of version 1' }).waitFor();
    must(await own.client.schemas.register({ name: 'release', json_schema: { type: ['object'] } }));
    await page.getByRole('region', { name: 'Text of version 2' }).waitFor({ timeout: 15_000 });
    await page.getByRole('link', { name: 'Compare with 1' }).waitFor({ timeout: 15_000 });
    await page.getByRole('link', { name: 'States with this schema' }).click();
    await page.getByRole('link', { name: 'release-42' }).click();
    await page.getByRole('link', { name: 'release v1' }).click();
    await page.getByRole('region', { name: 'Text of version 1' }).waitFor();
    await page.goto(new URL('/ui/schemas/none', own.url).href);
    await page.getByRole('alert').getByText('schema not found').waitFor();
    await own.close();
  });
});
