// Runs one command in a process group of its own until the group has ended. Knows nothing of runs or results.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createBoundedOutput } from '../bounded-output.js';
import { sleep } from '../../lib/backoff.js';
import { holdProcessGroup, type ProcessGroup } from './process-group.js';
import { messageOf } from '../../domain/text.js';

interface ProcessOptions {
  /** A command line if `shell` is set, otherwise a program. */
  readonly command: string;
  /** Arguments of a program. A command line contains its own. */
  readonly args?: readonly string[];
  /** `true` for the system's shell, `false` for none. */
  readonly shell: string | boolean;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly outputBytesMax: number;
  readonly errorBytesMax: number;
  /** From SIGTERM to SIGKILL, milliseconds. */
  readonly killGraceMs: number;
  /** How long descendants may keep the output open after the command has ended, milliseconds. */
  readonly closeGraceMs: number;
  /** Time limit, milliseconds; `null` for none. */
  readonly timeoutMs: number | null;
  /** Ends the process, with SIGTERM first. */
  readonly signal: AbortSignal;
  /** Aborts with or after `signal`: kills what is left of the group at once. */
  readonly lost?: AbortSignal;
  readonly onSpawned?: () => void;
  /** Gets standard output as it arrives, in addition to the kept part. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Gets standard error as it arrives, in addition to the kept part. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

export type ProcessEnd =
  | { readonly kind: 'not_spawned'; readonly reason: string }
  | {
      readonly kind: 'ended';
      /** Cause of the end: the process itself, the signal of the options, or the time limit. */
      readonly by: 'itself' | 'signal' | 'timeout';
      readonly exitCode: number | null;
      readonly exitSignal: NodeJS.Signals | null;
      readonly stdout: string;
      readonly stderr: string;
    };

const ALIVE_PACE_MS = 20;

/**
 * Runs a command to its end, and then kills what is left of its process group. Never rejects because of the
 * command.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const child = await spawned(options);
  if (typeof child === 'string') return { kind: 'not_spawned', reason: child };
  const { pid } = child;
  if (pid === undefined) return { kind: 'not_spawned', reason: 'there is no process' };
  const group = holdProcessGroup(pid);
  const closed = new AbortController();
  child.once('close', () => closed.abort());
  const stdout = createBoundedOutput(options.outputBytesMax);
  const stderr = createBoundedOutput(options.errorBytesMax, 0);
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    options.onOutput?.(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    options.onErrorOutput?.(chunk);
  });
  const exited = exitOf(child);
  options.onSpawned?.();
  child.stdin.end(options.input);

  const { exitCode, exitSignal, by } = await untilExit(exited, group, options);
  if (by === 'itself') await sleep(options.closeGraceMs, closed.signal, options.lost);
  group.signal('SIGKILL'); // whatever the command left behind
  await sleep(options.closeGraceMs, closed.signal);
  group.release();
  child.stdout.destroy(); // a process that left the group may hold it open
  child.stderr.destroy();
  return { kind: 'ended', by, exitCode, exitSignal, stdout: stdout.text(), stderr: stderr.text() };
}

/** @returns The running child, or an error message. */
function spawned(options: ProcessOptions): Promise<ChildProcessWithoutNullStreams | string> {
  return new Promise((resolve) => {
    try {
      const child = spawn(options.command, [...(options.args ?? [])], {
        shell: options.shell,
        cwd: options.cwd,
        env: options.environment,
        detached: true,
      });
      // Errors after the start, such as input that the command does not read, do not affect the result.
      child.stdin.on('error', () => undefined);
      child.on('error', (error) => resolve(error.message));
      child.once('spawn', () => resolve(child));
    } catch (error) {
      resolve(messageOf(error));
    }
  });
}

interface Exit {
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });
}

/** Waits for the end of the command; on a signal or timeout, ends its group. */
async function untilExit(
  exited: Promise<Exit>,
  group: ProcessGroup,
  { signal, lost, timeoutMs, killGraceMs }: ProcessOptions,
): Promise<Exit & { readonly by: 'itself' | 'signal' | 'timeout' }> {
  const order = endOrder(signal, timeoutMs);
  const exit = await Promise.race([exited, order.given]);
  order.release();
  if (typeof exit !== 'string') return { ...exit, by: 'itself' };
  const isLost = () => lost?.aborted === true;
  if (!isLost()) {
    group.signal('SIGTERM');
    const deadline = performance.now() + killGraceMs;
    while (!isLost() && group.isAlive() && performance.now() < deadline) {
      await sleep(Math.min(ALIVE_PACE_MS, killGraceMs));
    }
  }
  group.signal('SIGKILL');
  return { ...(await exited), by: exit };
}

function endOrder(signal: AbortSignal, timeoutMs: number | null) {
  let release: () => void = () => undefined;
  const given = new Promise<'signal' | 'timeout'>((resolve) => {
    const onAbort = () => resolve('signal');
    const timer = timeoutMs === null ? undefined : setTimeout(() => resolve('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  return { given, release };
}
