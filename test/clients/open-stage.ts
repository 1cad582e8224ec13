// What the tests of one file share: a coordinator, the real clients, and places for them with a home and a model of their
// own. What a test opens is closed after it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { must, Stage } from '../support/stage.js';
import { STAND_INS } from './client-runners.js';
import { installClients, type Installed } from './install.js';
import type { Script } from './stand-in/script.js';
import { surroundings, type Client, type Surroundings } from './surroundings.js';

const INSTALL_MS = 600_000;

interface Closable {
  close(): Promise<unknown>;
}

/** Made by `openStage`; to be used within tests. */
export class ClientStage {
  #stage: Stage | undefined;
  #installed: Installed | undefined;
  readonly #opened: Closable[] = [];

  constructor(private readonly serve: readonly string[]) {}

  get stage(): Stage {
    if (this.#stage === undefined) throw new Error('the stage is not open yet');
    return this.#stage;
  }

  get installed(): Installed {
    if (this.#installed === undefined) throw new Error('the clients are not installed yet');
    return this.#installed;
  }

  /** Closes it after the test; what was opened last is closed first. */
  opened(one: Closable): void {
    this.#opened.push(one);
  }

  /**
   * A client with a home, a project and a model of its own, and both programs in its path.
   *
   * @param version - Which versions of the clients it finds.
   */
  async place(client: Client, script: Script, version: keyof Installed = 'bin'): Promise<Surroundings> {
    const api = await STAND_INS[client](script);
    this.opened(api);
    const made = surroundings(client, api.url);
    mkdirSync(path.join(made.project, '.git'));
    const own = path.join(path.dirname(await builtProgram()), '../bin');
    const PATH = [this.installed[version], own, process.env['PATH']].join(':');
    return { ...made, environment: { ...made.environment, PATH, COUNTERSIGN_URL: this.stage.url } };
  }

  async open(): Promise<void> {
    this.#installed = await installClients();
    this.#stage = await Stage.open({ runner: null, serve: this.serve });
    must(await this.stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  }

  async closeOpened(): Promise<void> {
    for (const one of this.#opened.splice(0).reverse()) await one.close();
  }
}

/** For a file of tests. @param serve - Further flags of the coordinator, which has the schema `any`. */
export function openStage(...serve: readonly string[]): ClientStage {
  const made = new ClientStage(serve);
  beforeAll(() => made.open(), INSTALL_MS);
  afterEach(() => made.closeOpened());
  afterAll(() => made.stage.close());
  return made;
}
