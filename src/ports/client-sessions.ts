// Finds the session of an agent CLI's conversation: the one registered by hooks under the conversation's id,
// or the one that the conversation was started as.
import type { ClientSession } from '../agent-clients/conversations.js';
import type { SessionService } from './service.js';

const REMEMBERED_MAX = 1000;
const REMEMBERED_MS = 30_000;

export class ClientSessions {
  readonly #known = new Map<string, { readonly sessionId: string; readonly until: number }>();

  /**
   * @param sessions - Must have the right to read all sessions.
   * @param idOf - Returns the id that hooks give to the session of a conversation.
   */
  constructor(
    private readonly sessions: Pick<SessionService, 'get' | 'list'>,
    private readonly idOf: (client: ClientSession['client'], id: string) => string,
  ) {}

  /** @returns The session's id; `null` if no session is bound to the conversation, or several are. */
  async find({ client, id }: ClientSession): Promise<string | null> {
    const key = `${client} ${id}`;
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.until) return known.sessionId;
    this.#known.delete(key);
    const sessionId = await this.#look(client, id);
    if (sessionId === null) return null;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= REMEMBERED_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { sessionId, until: performance.now() + REMEMBERED_MS });
    return sessionId;
  }

  /** Returns the only session that the conversations are bound to; `null` if there is none or several. */
  async findOne(conversations: readonly ClientSession[]): Promise<string | null> {
    const found = new Set<string>();
    for (const one of conversations) {
      const sessionId = await this.find(one);
      if (sessionId !== null) found.add(sessionId);
    }
    const [only] = found;
    return found.size === 1 && only !== undefined ? only : null;
  }

  async #look(client: ClientSession['client'], id: string): Promise<string | null> {
    // A session that was started by name has priority: the one with the conversation's id may be older.
    const named = await this.sessions.list({ executor_session: id, limit: 10 });
    const bound = this.idOf(client, id);
    const external = named.ok ? named.value.items.filter((one) => one.external) : [];
    const others = external.filter((one) => one.session_id !== bound);
    const [only] = others;
    if (others.length === 1 && only !== undefined) return only.session_id;
    if (others.length > 1) return null;
    const own = await this.sessions.get(bound);
    return own.ok ? own.value.session_id : null;
  }
}
