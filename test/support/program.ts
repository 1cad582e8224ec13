// The built program as a process of its own: started, watched, ended.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { builtProgram } from './built-program.js';
import { pause } from './eventually.js';

export interface Ended {
  /** `null` where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The program, if it is not the present one. */
  readonly bin?: string;
  /** Shell commands that go before the program, such as `ulimit -f 100`. */
  readonly before?: string;
}

export class Program {
  #stdout = '';
  #stderr = '';
  #over = false;
  readonly ended: Promise<Ended>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => {
        this.#over = true;
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  static async start(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
    const argv = [process.execPath, options.bin ?? (await builtProgram()), ...args];
    const script = [...(options.before === undefined ? [] : [options.before]), 'exec "$@"'].join('\n');
    return new Program(
      spawn('/bin/sh', ['-c', script, 'sh', ...argv], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...ownEnvironment(), ...options.env },
      }),
    );
  }

  get log(): string {
    return this.#stderr;
  }

  /** Waits until the program has printed something; an end before that is an error. */
  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stdout)) {
      if (this.#over) throw new Error(`ended before it printed ${String(pattern)}: ${this.#stderr}`);
      await pause(5);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends the program and waits for it. */
  async end(name: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(name);
    return this.ended;
  }
}

/** Runs the program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return (await Program.start(args, options)).ended;
}

/** Runs a script of Node.js to its end. */
export function runScript(file: string): Promise<Ended> {
  const options = { env: ownEnvironment(), maxBuffer: 1e7 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [file], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

/** Settings of whoever runs the tests are none of theirs. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_|AGENT_|WORKFLOW_STATE_ID$)/.test(name)),
  );
}
