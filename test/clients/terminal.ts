// A terminal that a real client draws on, as it does for people: what it shows, as text, and keys to press.
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Installed } from './install.js';

interface Pty {
  onData(listener: (text: string) => void): void;
  onExit(listener: () => void): void;
  write(text: string): void;
  kill(signal: string): void;
}

/** Wide enough that no line of ours is broken by a frame. */
const SIZE = { cols: 400, rows: 50 };
/** What programs ask a terminal when they start, and what one answers. */
const ASKED: readonly (readonly [string, string])[] = [
  ['\x1b[6n', '\x1b[1;1R'],
  ['\x1b[c', '\x1b[?1;2c'],
  ['\x1b]10;?', '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  ['\x1b]11;?', '\x1b]11;rgb:0000/0000/0000\x1b\\'],
];
const CONTROLS = /\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>78()][AB0]?/g;
/** Time for a client to close by itself when its window is closed. */
const CLOSE_MS = 10_000;

export class Terminal {
  readonly #ended: Promise<void>;
  #text = '';

  private constructor(private readonly pty: Pty) {
    pty.onData((text) => {
      for (const [asked, answer] of ASKED) if (text.includes(asked)) pty.write(answer);
      this.#text += text;
    });
    this.#ended = new Promise((resolve) => pty.onExit(resolve));
  }

  /** With the module for terminals that one of the clients brings along. */
  static open(
    { bin }: Installed,
    [program, ...args]: readonly [string, ...string[]],
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Terminal {
    const { spawn } = createRequire(path.join(bin, '../package.json'))('@lydell/node-pty');
    const variables = { ...process.env, ...env, TERM: 'xterm-256color' };
    return new Terminal(spawn(program, args, { ...SIZE, cwd, env: variables }));
  }

  /** Everything that was ever shown, without blanks: programs jump over them. */
  get shown(): string {
    return this.#text.replace(CONTROLS, '').replace(/\s+/g, '');
  }

  press(keys: string): void {
    this.pty.write(keys);
  }

  /** As when its window is closed. */
  async close(): Promise<void> {
    this.pty.kill('SIGHUP');
    const late = setTimeout(() => this.pty.kill('SIGKILL'), CLOSE_MS);
    await this.#ended;
    clearTimeout(late);
  }
}
