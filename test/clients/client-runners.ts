// Runners with real clients, each with a home and a model of its own.
import path from 'node:path';
import { builtProgram } from '../support/built-program.js';
import { Program } from '../support/program.js';
import { installClients, type Installed } from './install.js';
import { openAnthropic } from './stand-in/anthropic.js';
import { openChat } from './stand-in/chat.js';
import { openGemini } from './stand-in/gemini.js';
import { openOpenAi } from './stand-in/openai.js';
import type { Script } from './stand-in/script.js';
import { surroundings, type Client, type Surroundings } from './surroundings.js';

export const STAND_INS = {
  'claude-code': openAnthropic,
  codex: openOpenAi,
  gemini: openGemini,
  opencode: openChat,
};

export class ClientRunners {
  readonly #opened: { close(): Promise<unknown> }[] = [];

  private constructor(readonly installed: Installed) {}

  static async open(): Promise<ClientRunners> {
    return new ClientRunners(await installClients());
  }

  /** A client with a home and a model of its own. @param bin - Folder of the programs: which versions they are. */
  async place(client: Client, script: Script, bin = this.installed.bin): Promise<Surroundings> {
    const api = await STAND_INS[client](script);
    this.#opened.push(api);
    const made = surroundings(client, api.url);
    const own = path.join(path.dirname(await builtProgram()), '../bin');
    const PATH = [bin, own, process.env['PATH']].join(':');
    return { ...made, environment: { ...made.environment, PATH } };
  }

  /** @returns The runner's hostname, for runs to demand. */
  async start(url: string, client: Client, place: Surroundings, ...flags: string[]): Promise<string> {
    const { project, environment } = place;
    const hostname = `host-${path.basename(path.dirname(project))}`;
    const own = ['--url', url, '--executor', client, '--hostname', hostname, '--project-dir', project];
    const program = await Program.start(['runner', ...own, '--log-level', 'warn', ...flags], {
      env: environment,
    });
    this.#opened.push({ close: () => program.end('SIGTERM') });
    await program.printed(/is ready for/);
    return hostname;
  }

  /** One runner at a time: what names none goes to it. */
  async close(): Promise<void> {
    for (const one of this.#opened.splice(0).reverse()) await one.close();
  }
}
