// `npm run screenshots`: pictures of each view of the dashboard, from the data of the demonstrations, for the docs.
// `npm run screenshots -- FOLDER` writes all of them there, in both themes and for a narrow screen.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './chromium.mjs';

const [given] = process.argv.slice(2);
const folder =
  given === undefined ? fileURLToPath(new URL('../docs/images', import.meta.url)) : resolve(given);
const root = fileURLToPath(new URL('..', import.meta.url));
const program = fileURLToPath(new URL('../dist/main/bin.js', import.meta.url));
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 390, height: 844 };
/** WebP: a tenth of the size of PNG for these pictures. */
const QUALITY = 82;

// A copy, so that no picture shows where the checkout is.
const copies = mkdtempSync(join(tmpdir(), 'pictures-'));
const repository = join(copies, 'countersign');
execFileSync('git', ['clone', '--quiet', '--no-local', root, repository]);
execFileSync('git', ['-C', repository, 'checkout', '--quiet', '-B', 'main']);

mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  await withDemo(['--workflow'], async (url) => {
    const state = await stateOf(url, 'orchestrator');
    await picture(url, 'record', `/ui/states/${state}`, (page) =>
      page.getByRole('region', { name: 'Workflow', exact: true }).scrollIntoViewIfNeeded(),
    );
  });
  await withDemo(['--repo', repository], viewsOf, (url) => picture(url, 'overview', '/', whilePending));
} finally {
  await browser.close();
  rmSync(copies, { recursive: true, force: true });
}

/** The overview in the middle of the story. */
async function whilePending(page) {
  await page
    .getByRole('region', { name: 'Pending completions' })
    .getByRole('button', { name: 'Skip' })
    .first()
    .waitFor({ timeout: 15_000 })
    .catch(() => undefined);
}

async function viewsOf(url) {
  const state = await stateOf(url, 'root');
  const sessions = await json(url, '/sessions?root_session=root');
  const idOf = (name) => sessions.items.find((one) => one.session_name === name).session_id;
  const runs = await json(url, '/runs?order=newest');
  const { name } = (await json(url, '/workflow-schemas?name=code-review')).items[0] ?? {
    name: (await json(url, '/workflow-schemas')).items[0].name,
  };
  await post(url, '/webhooks', { url: 'https://example.com/countersign', events: ['completion_updated'] });
  const { webhook_id: webhook } = await post(url, '/webhooks', {
    url: 'https://example.org/releases',
    events: ['workflow_state_updated'],
    schema_name: name,
  });
  await post(url, `/webhooks/${webhook}/disable`, { reason: 'The channel moves.' });
  const views = {
    states: '/ui/states',
    state: `/ui/states/${state}?find=status`,
    history: `/ui/states/${state}?at=3&from=1`,
    tree: `/ui/trees/root?session=${idOf('todos')}`,
    completions: '/ui/completions',
    completion: '/ui/completions/todos',
    runs: '/ui/runs',
    run: `/ui/runs/${runs.items[0].run_id}`,
    runners: '/ui/runners',
    callbacks: '/ui/callbacks',
    webhooks: '/ui/webhooks',
    schemas: '/ui/schemas',
    schema: `/ui/schemas/${name}`,
  };
  for (const [view, path] of Object.entries(views)) await picture(url, view, path);
}

/** Runs a demonstration until its end, and calls `views` while it is kept. */
async function withDemo(args, views, meanwhile = undefined) {
  const demo = spawn(process.execPath, [program, 'demo', '--keep', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((end) => demo.once('exit', end));
  try {
    let url = null;
    let early = Promise.resolve();
    let text = '';
    for await (const chunk of demo.stdout) {
      text += String(chunk);
      if (url === null) {
        url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? null;
        if (url !== null) early = meanwhile?.(url) ?? early;
      }
      if (text.includes('until Ctrl-C')) break;
    }
    await early;
    await views(url);
  } finally {
    demo.kill('SIGTERM');
    await ended;
  }
}

async function json(url, path) {
  const answer = await fetch(new URL(path, url));
  if (!answer.ok) throw new Error(`${path} is ${String(answer.status)}`);
  return answer.json();
}

async function post(url, path, body) {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} is ${String(answer.status)}: ${await answer.text()}`);
  return answer.json();
}

async function stateOf(url, session) {
  return (await json(url, `/sessions/${session}/workflow-state`)).state_id;
}

/** One view; in both themes and narrow where a folder is given, else light. */
async function picture(url, name, path, ready = () => Promise.resolve()) {
  const shots =
    given === undefined
      ? [[name, 'light', WIDE]]
      : ['light', 'dark'].flatMap((theme) => [
          [`${name}-${theme}`, theme, WIDE],
          [`${name}-${theme}-narrow`, theme, NARROW],
        ]);
  for (const [file, colorScheme, viewport] of shots) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(new URL(path, url).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'detached' });
    await ready(page);
    const devtools = await context.newCDPSession(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    rmSync(join(folder, `${file}.webp`), { force: true });
    writeFileSync(join(folder, `${file}.webp`), Buffer.from(data, 'base64'));
    if (process.env['COUNTERSIGN_SHOTS_PNG'] !== undefined)
      await page.screenshot({ path: join(folder, `${file}.png`), fullPage: true });
    await context.close();
  }
}
