// `countersign demo`: a coordinator on a temporary database, a runner with real processes, and the demo script.
import { shellQuoted } from '../../domain/shell.js';
import { OPEN_LOOPBACK } from '../../domain/access/actor.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EXIT, hasColour, type CliIo, type DemoOptions } from '../../cli/index.js';
import { DemoFault, findRepository, showDemo, showWorkflowDemo } from '../../demo/index.js';
import { hasBrowser, openPage } from '../browser.js';
import { startCoordinator, type Coordinator } from '../coordinator.js';
import { startErrorText } from '../process/failure.js';
import { createLogger } from '../process/logger.js';
import { runnerProcess } from '../runner/runner-process.js';
import { untilStopSignal } from '../process/signals.js';

const AGENT = new URL('../../demo/agents/agent.js', import.meta.url);
const WORKFLOW_AGENT = new URL('../../demo/workflow/agent.js', import.meta.url);
const HOST = '127.0.0.1';
const CONCURRENT_MAX = 6;
const PIPE_COLUMNS = 120;
const WATCHED_LOOK_MS = 100;
const WATCHED_LOOKS = 50;

/** @returns The exit code: 0 if every step went as the script expects. */
export async function demo(options: DemoOptions, io: CliIo): Promise<number> {
  const scratch = createScratch();
  const stopping = new AbortController();
  const asked = untilStopSignal(() => process.exit(EXIT.refused)).then(() => stopping.abort());
  try {
    const repository = await findRepository(options.repo, path.join(scratch.folder, 'repository'));
    return await perform({ options, io, repository, scratch, signal: stopping.signal, asked });
  } catch (error) {
    const reason = stopping.signal.aborted
      ? 'The demonstration was stopped before its end.'
      : error instanceof DemoFault
        ? error.message
        : startErrorText(error);
    if (reason === null) throw error;
    io.stderr.write(`error: ${reason}\n`);
    return EXIT.refused;
  } finally {
    scratch.remove();
  }
}

interface Scratch {
  readonly folder: string;
  readonly remove: () => void;
  /** Cancels the removal. */
  readonly keep: () => void;
}

/** A temporary folder that is removed however the program ends, also after EPIPE. */
function createScratch(): Scratch {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-demo-'));
  let isKept = false;
  const remove = () => {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { folder, remove, keep: () => void (isKept = true) };
}

interface Parts {
  readonly options: DemoOptions;
  readonly io: CliIo;
  /** Absolute path of its work tree. */
  readonly repository: string;
  /** For the database. */
  readonly scratch: Scratch;
  readonly signal: AbortSignal;
  /** Resolves when the demo is asked to stop. */
  readonly asked: Promise<void>;
}

async function perform({ options, io, repository, scratch, signal, asked }: Parts): Promise<number> {
  const db = path.join(scratch.folder, 'countersign.db');
  const logger = createLogger('error');
  const coordinator = await startCoordinator({
    host: HOST,
    port: options.port ?? 0,
    db,
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    logger,
  });
  if (options.keep) scratch.keep();
  const { url, service } = coordinator;
  const agent = fileURLToPath(options.workflow ? WORKFLOW_AGENT : AGENT);
  const runner = runnerProcess({
    service: service.as(OPEN_LOOPBACK).runners,
    url,
    execution: {
      executors: ['command'],
      exec: `${shellQuoted(process.execPath)} ${shellQuoted(agent)}`,
      agentModel: null,
      agentArgs: [],
      recordBy: 'tools',
    },
    hostname: hostname(),
    projectDir: repository,
    tags: [],
    concurrentMax: CONCURRENT_MAX,
    logger,
  });
  try {
    await runner.start();
    const { keep, verbose, workflow } = options;
    const write = (text: string) => void io.stdout.write(text);
    const style = { colour: hasColour(io), width: io.isTTY ? io.width : PIPE_COLUMNS };
    if (keep) {
      write(`See it as it happens: ${url}/\n\n`);
      if (hasBrowser(io) && (await openPage(`${url}/`))) await untilWatched(coordinator, signal);
    }
    const wentAsExpected = workflow
      ? await showWorkflowDemo({ url, style, write, signal })
      : await showDemo({ url, repository, verbose, style, write, signal, call: howToCall(io.env) });
    if (keep) {
      write(workflow ? keptWorkflowText(url, db) : keptText(url, db));
      await asked;
    }
    return wentAsExpected ? EXIT.ok : EXIT.refused;
  } finally {
    await runner.stop('now');
    await coordinator.close();
  }
}

/** In a checkout, `npx` would install and build it once more. */
function howToCall({ npm_lifecycle_event: script }: CliIo['env']) {
  return script === 'demo'
    ? { demo: 'npm run demo --', program: 'node dist/main/bin.js' }
    : { demo: 'npx countersign demo', program: 'npx countersign' };
}

/** Until a page follows what happens, or five seconds are over: a browser may take long to start, or not start at all. */
async function untilWatched({ service }: Coordinator, signal: AbortSignal): Promise<void> {
  for (let looks = 0; looks < WATCHED_LOOKS && !signal.aborted; looks += 1) {
    const { streams } = await service.counts();
    if ((streams?.['open'] ?? 0) > 0) return;
    await setTimeout(WATCHED_LOOK_MS);
  }
}

function keptText(url: string, db: string): string {
  return [
    '',
    `The tree of sessions: ${url}/ui/trees/root`,
    'It keeps running until Ctrl-C. To look at it, from another terminal:',
    `  countersign session tree root --url ${url}`,
    `  countersign session completion todos --url ${url}`,
    `  countersign session result test-ratio --url ${url}`,
    `  curl -s ${url}/sessions/root/workflow-state`,
    `The database stays afterwards: countersign serve --db ${db}`,
    '',
  ].join('\n');
}

function keptWorkflowText(url: string, db: string): string {
  return [
    '',
    `The tree of sessions: ${url}/ui/trees/orchestrator`,
    'It keeps running until Ctrl-C. To look at it, from another terminal:',
    `  AGENT_SESSION_NAME=orchestrator countersign workflow show --url ${url}`,
    `  countersign session tree orchestrator --url ${url}`,
    `The database stays afterwards: countersign serve --db ${db}`,
    '',
  ].join('\n');
}
