// The dashboard over plain HTTP on another address than loopback. Browsers leave out there what they keep for secure contexts.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';

const HOST = 'countersign.test';

let folder: string;
let browser: Browser;
let pages: Pages;
let site: Site;

beforeAll(async () => {
  [folder, browser] = await Promise.all([
    builtDashboard(),
    launch([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]),
  ]);
  pages = new Pages(browser);
  site = await openSite(folder, { allowHosts: [HOST] });
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
});

async function open(path: string) {
  const { page } = await pages.open(path, { url: site.url.replace('127.0.0.1', HOST) });
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  return { page, errors };
}

it('acts', async () => {
  const { run_id: id } = must(
    await site.client.runs.create({ type: 'start_session', session_name: 'far', prompt: 'Do it.' }),
  );
  const { page, errors } = await open(`/ui/runs/${id}`);
  await page.getByRole('button', { name: 'Stop' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop?' });
  await dialog.getByLabel('Reason').fill('The wrong branch.');
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('The run was stopped: The wrong branch.').first().waitFor();
  expect(must(await site.client.runs.get(id)).status).toBe('stopped');
  expect(errors).toEqual([]);
});

it('copies', async () => {
  must(await site.client.schemas.register({ name: 'far', json_schema: { type: 'object' } }));
  const { page, errors } = await open('/ui/schemas/far');
  const copy = page.getByRole('button', { name: 'Copy curl' });
  const text = (await copy.getAttribute('title')) ?? '';
  expect(text).toContain(HOST);
  await copy.click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const document = page.getByRole('textbox').first();
  await document.fill('');
  await document.press('ControlOrMeta+v');
  expect(await document.inputValue()).toBe(text);
  expect(errors).toEqual([]);
});
