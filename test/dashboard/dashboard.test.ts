// The dashboard in a real Chromium on a real coordinator.
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/main/commands/tokens.js';
import { STORY_MS_MAX } from '../support/eventually.js';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages, shot } from './pages.js';
import { HOSTILE, tellStory, type Story } from './story.js';

let folder: string;
let browser: Browser;
let site: Site;
let story: Story;
let page: Page;
let pages: Pages;
let complaints: string[];

async function open(path: string, on: Site = site): Promise<void> {
  ({ page, complaints } = await pages.open(path, on));
}

/** An answer as it is sent: `fetch` would decode it. */
function raw(url: URL, method: string, headers: Record<string, string>) {
  return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    request(url, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    })
      .once('error', reject)
      .end();
  });
}

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
  site = await openSite(folder);
  story = await tellStory(site.client);
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
});

const VIEWS = () => [
  ['overview', '/'],
  ['states', '/ui/states'],
  ['state', `/ui/states/${story.stateId}?from=1`],
  ['tree', `/ui/trees/${story.rootId}`],
];

describe('what is served', () => {
  const get = (path: string, accept = 'text/html') => fetch(new URL(path, site.url), { headers: { accept } });

  it('is a page that is asked for again each time, with a policy without inline scripts', async () => {
    const answer = await get('/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });

  it('has assets that are kept for ever, and less than 300 KB of compressed script', async () => {
    const html = await (await get('/')).text();
    const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets.length).toBeGreaterThan(1);
    let script = 0;
    for (const path of assets) {
      const answer = await get(path, '*/*');
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const text = await answer.text();
      if (path.endsWith('.js')) script += gzipSync(text).length;
    }
    expect(script).toBeGreaterThan(10_000);
    expect(script).toBeLessThan(300_000);
  });

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['deflate, GZIP;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0', undefined, (body: Buffer) => body],
    ['*', undefined, (body: Buffer) => body],
    [undefined, undefined, (body: Buffer) => body],
  ])('sends its script to who accepts %j as %s', async (accepts, encoding, decode) => {
    const [path] = /\/assets\/[^"]+\.js/.exec(await (await get('/', 'text/html')).text()) ?? [''];
    const sent = async (method: string, headers: Record<string, string>) => {
      const answered = await raw(new URL(path, site.url), method, headers);
      expect(answered.headers.vary).toBe('Origin, Accept-Encoding');
      return answered;
    };
    const plain = await sent('GET', {});
    const headers = accepts === undefined ? {} : { 'accept-encoding': accepts };
    const answer = await sent('GET', headers);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(decode(answer.body).equals(plain.body)).toBe(true);
    if (encoding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    const head = await sent('HEAD', headers);
    expect(head.headers['content-length']).toBe(answer.headers['content-length']);
    expect(head.body.length).toBe(0);
  });

  it('is the page for views that a browser asks for, and for nothing else', async () => {
    expect((await get('/ui/states/any')).headers.get('content-type')).toContain('text/html');
    for (const [path, accept] of [
      ['/ui/states/any', 'application/json'],
      ['/assets/none.js', 'text/html'],
      ['/assets/..%2findex.html', 'text/html'],
      ['/no-such-path', 'text/html'],
    ] as const) {
      const answer = await get(path, accept);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
    expect((await get('/workflow-states')).headers.get('content-type')).toContain('application/json');
  });
});

describe('the views', () => {
  it('show what failed, what is pending with its time, and the trees in flight', async () => {
    await open('/');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: 'release-42-tester' }).waitFor();
    const pending = page.getByRole('region', { name: 'Pending completions' }).first();
    await pending.getByText('release-42-builder').waitFor();
    await pending.getByText(/^in \d+ min/).waitFor();
    await page.getByText('No runner is registered').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it(
    'have no serious violation for axe in both themes, and fit a narrow screen',
    { timeout: STORY_MS_MAX },
    async () => {
      for (const [name, path] of VIEWS()) expect(await pages.faultsOf(name!, path!, site)).toEqual([]);
    },
  );

  it('list states with filters that the address holds', async () => {
    await tellStory(site.client, 'other');
    await open('/ui/states');
    await page.getByRole('link', { name: 'other' }).waitFor();
    await page.getByLabel('Root session').fill('release-42');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('root=release-42');
    await page.reload();
    await page.getByRole('link', { name: 'release-42' }).click();
    await page.getByRole('tree', { name: 'Document' }).waitFor();
    expect(page.url()).toContain(`/ui/states/${story.stateId}`);
  });

  it('show a hostile document as text, and find what is in it', async () => {
    await open(`/ui/states/${story.stateId}`);
    await page.getByRole('treeitem').filter({ hasText: 'notes' }).getByText('<script>').waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('treeitem').filter({ hasText: 'notes' }).click();
    expect(await page.locator('.selected pre').textContent()).toBe(HOSTILE);
    await page.getByLabel('Search the document').fill('build');
    await page.locator('.node.found').getByText('"build"').waitFor();
    expect(page.url()).toContain('find=build');
    expect(complaints).toEqual([]);
  });

  it('light up a change as it comes, with who made it, and show the past and differences', async () => {
    await open(`/ui/states/${story.stateId}`);
    await page.getByText('Live', { exact: true }).waitFor();
    const writer = site.as({ sessionName: 'release-42' });
    const { version } = must(
      await writer.states.ops(story.stateId, [{ op: 'set', pointer: '/tasks/0/done', value: true }], {}),
    );
    await page.locator('.node.lit').getByText('true').waitFor();
    await page
      .getByText(`Version ${String(version)} by`)
      .getByRole('link', { name: 'release-42', exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Version 1', exact: true }).click();
    await page.getByText('This is the past.').waitFor();
    await page.getByRole('treeitem').filter({ hasText: 'done' }).getByText('false').waitFor();
    await page.getByRole('button', { name: 'Back to the present' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Version 1' })
      .getByRole('button', { name: 'Compare' })
      .click();
    await page.locator('.diff-code-insert').getByText('"done": true').waitFor();
    await page.locator('.diff-code-delete').getByText('"done": false').waitFor();
    expect(complaints).toEqual([]);
  });

  it('skip and retry a completion with a reason that the service keeps', async () => {
    const { rootId } = await tellStory(site.client, 'acts');
    await open(`/ui/trees/${rootId}`);
    await page.getByRole('link', { name: /acts-builder/ }).click();
    await page.getByRole('button', { name: 'Skip' }).click();
    const dialog = page.getByRole('dialog', { name: 'Skip?' });
    await dialog.getByRole('button', { name: 'Skip' }).click();
    expect(must(await site.client.sessions.completion('acts-builder')).state_update_status).toBe('pending');
    await dialog.getByLabel('Reason').fill('nobody needs it');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await page
      .getByRole('link', { name: /acts-builder/ })
      .getByText('result skipped')
      .waitFor();
    const skipped = must(await site.client.sessions.completion('acts-builder'));
    expect(skipped).toMatchObject({ state_update_status: 'skipped' });
    expect(skipped.reason).toContain('nobody needs it');
    await page.getByRole('link', { name: /acts-tester/ }).click();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('the network is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await page
      .getByRole('link', { name: /acts-tester/ })
      .getByText('result pending')
      .waitFor();
  });

  it('stop a session, and send its callback again, from the view of its completion', async () => {
    const { rootId } = await tellStory(site.client, 'ends');
    must(await site.client.sessions.skip('ends-builder', { reason: 'moot' }));
    must(await site.client.sessions.pullCallbacks(rootId, 0));
    await open('/ui/completions/ends-builder');
    const act = async (name: string, reason: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `${name}?` });
      await dialog.getByLabel('Reason').fill(reason);
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    await act('Redeliver', 'It was lost.');
    const { items } = must(await site.client.callbacks.list({ child_session: 'ends-builder' }));
    expect(items).toMatchObject([{ status: 'queued', reason: 'It was lost.' }]);
    must(
      await site.client.sessions.create({
        session_name: 'ends-late',
        parent_session_name: 'ends',
        external: true,
        callback: true,
      }),
    );
    await open('/ui/completions/ends-late');
    await act('Stop', 'Nobody needs it.');
    await page.getByText('stopped', { exact: true }).first().waitFor();
    const { items: callbacks } = must(await site.client.callbacks.list({ child_session: 'ends-late' }));
    expect(callbacks[0]!.message).toContain('The session was stopped: Nobody needs it.');
  });

  it('say so when there is nothing, and what to do', async () => {
    const named = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await open('/ui/states/no-such-state');
    await page.getByRole('alert').getByText('state not found').waitFor();
    await named('no-such-state state');
    expect(await page.title()).toBe('no-such-state, state – Countersign');
    await page.goto(new URL('/ui/states?schema=unused', site.url).href);
    await page.getByText('No state fits these filters.').waitFor();
    await page.goto(new URL('/ui/none', site.url).href);
    await page.getByText('There is no view at this address.').waitFor();
    await named('No view');
  });
});

describe('a coordinator that goes and comes back', () => {
  it('is shown as away, and leaves no gap when it is back', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
    const db = join(dir, 'c.db');
    let own = await openSite(folder, { db });
    const { stateId } = await tellStory(own.client);
    await open(`/ui/states/${stateId}`, own);
    await page.getByText('Live', { exact: true }).waitFor();
    const port = Number(new URL(own.url).port);
    await own.close();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    own = await openSite(folder, { db, port });
    // Before the page is back.
    must(await own.client.states.ops(stateId, [{ op: 'set', pointer: '/meanwhile', value: 'written' }], {}));
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 20_000 });
    await page.getByRole('treeitem').filter({ hasText: 'meanwhile' }).getByText('"written"').waitFor();
    await own.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('shows by itself what it could not load meanwhile', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
    const db = join(dir, 'c.db');
    let own = await openSite(folder, { db });
    await tellStory(own.client);
    await open('/ui/states', own);
    await page.getByRole('link', { name: 'release-42' }).waitFor();
    const port = Number(new URL(own.url).port);
    await own.close();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('The service does not answer').first().waitFor();
    own = await openSite(folder, { db, port });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });
    await own.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('shows a view whose parts it could not load meanwhile', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
    const db = join(dir, 'c.db');
    let own = await openSite(folder, { db });
    await open('/', own);
    await page.getByText('Live', { exact: true }).waitFor();
    const port = Number(new URL(own.url).port);
    await own.close();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Runners' }).click();
    await page.getByRole('heading', { name: 'This view cannot be shown' }).waitFor();
    await page.getByText('The service does not answer. The view appears when it is back.').waitFor();
    own = await openSite(folder, { db, port });
    await page.getByRole('heading', { name: 'Runners' }).waitFor();
    await own.close();
    rmSync(dir, { recursive: true, force: true });
  });
});

describe('with --auth', () => {
  it('asks for a token, keeps it in the session storage alone, and forgets it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
    const db = join(dir, 'c.db');
    let printed = '';
    const io: any = {
      stdout: { write: (text: string) => (printed += text) },
      stderr: { write: () => true },
      env: {},
    };
    expect(await createToken({ db, name: 'ops', role: 'admin', json: true } as any, io)).toBe(0);
    const { token } = JSON.parse(printed);
    const own = await openSite(folder, { db, auth: true });
    await open('/', own);
    await page.getByRole('heading', { name: 'This service asks for a token' }).waitFor();
    await shot(page, 'sign-in');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('did not accept that token').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).not.toContain(token);
    expect(await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain(token);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'This service asks for a token' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await own.close();
    rmSync(dir, { recursive: true, force: true });
  });
});
