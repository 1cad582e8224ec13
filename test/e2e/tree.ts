// A tree of sessions, seen from outside: grown from the children that a test names, and looked at until it is as expected.
import type { Note } from '../support/agents.js';
import { eventually } from '../support/eventually.js';
import { must, type Stage } from '../support/stage.js';
import type { CallbackView, RunCreate, SessionView } from '../../src/client/index.js';

export type Child = { readonly name: string; readonly part: string } & Partial<RunCreate>;

const SCHEMA = 'e2e';

/** Where the tree grows. */
type Place = Pick<Stage, 'operator' | 'agents'>;

export class Tree {
  private constructor(
    private readonly stage: Place,
    readonly root: string,
  ) {}

  /** @param busyUntilCallbacks - The root goes on working until so many callbacks wait for it. */
  static async grow(stage: Place, children: readonly Child[], busyUntilCallbacks = 0): Promise<Tree> {
    must(await stage.operator.schemas.register({ name: SCHEMA, json_schema: { type: 'object' } }));
    const tree = new Tree(stage, `root-of-${children.map(({ name }) => name).join('-')}`);
    const plan = {
      schema: SCHEMA,
      busyUntilCallbacks,
      children: children.map(({ name, part, ...rest }) => ({
        session_name: name,
        agent_name: part,
        prompt: `work as ${name}`,
        ...rest,
      })),
    };
    must(
      await stage.operator.runs.create({
        type: 'start_session',
        session_name: tree.root,
        agent_name: 'root',
        prompt: JSON.stringify(plan),
      }),
    );
    return tree;
  }

  /** What the root noted when it was resumed, once that was so often. */
  told(times = 1): Promise<readonly Note[]> {
    return eventually(`${this.root} is told of its children`, () => {
      const notes = this.stage.agents.notes(this.root).filter((note) => note.purpose === 'callback');
      return notes.length >= times && notes;
    });
  }

  async callbacks(): Promise<readonly CallbackView[]> {
    return must(await this.stage.operator.callbacks.list({ root_session: this.root })).items;
  }

  /** Every callback of the tree is delivered. The run of one may tell of it before it is reported to have started. */
  delivered(count: number): Promise<readonly CallbackView[]> {
    return eventually(`${String(count)} callbacks of ${this.root} are delivered`, async () => {
      const callbacks = await this.callbacks();
      return (
        callbacks.length === count && callbacks.every(({ status }) => status === 'delivered') && callbacks
      );
    });
  }

  async completion(name: string) {
    return must(await this.stage.operator.sessions.completion(name));
  }

  /** Runs of a session, oldest first. */
  async runs(name: string) {
    const { items } = must(await this.stage.operator.runs.list({ session: name }));
    return items.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  }

  /** Waits for a note that an agent leaves when it has come so far. */
  reached(name: string, fact: string): Promise<Note> {
    return eventually(`${name} notes ${fact}`, () =>
      this.stage.agents.notes(name).find((note) => fact in note),
    );
  }

  session(name: string, fact: (session: SessionView) => boolean): Promise<SessionView> {
    return eventually(`${name} is as expected`, async () => {
      const session = must(await this.stage.operator.sessions.get(name));
      return fact(session) && session;
    });
  }
}
