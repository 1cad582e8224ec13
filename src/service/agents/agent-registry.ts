// The registry of named agents. It reads an agent's file on each use: a changed file takes effect at once, and a
// broken file does not affect the others.
import { reservedByRunner } from '../../agent-clients/index.js';
import { faultsOf, type Blueprint } from '../../domain/agents/blueprint.js';
import { ok, fail, type Result, type Violation } from '../../domain/errors.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { isDeeperThan } from '../../domain/json/scan.js';
import type { Limits } from '../../domain/limits.js';
import { isName } from '../../domain/names.js';
import { modeFaults } from '../../domain/workflow/modes.js';
import { messageOf, withoutByteOrderMark } from '../../domain/text.js';
import type { AgentSource } from '../../ports/agent-files.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';

/** The present content of an agent's file: its blueprint, or what is wrong with it. */
export type AgentFile =
  | { readonly name: string; readonly blueprint: Blueprint }
  | { readonly name: string; readonly faults: readonly Violation[] };

interface Faults {
  readonly faults: readonly Violation[];
}

/** A file as it was read. */
interface Read {
  readonly value: JsonValue;
  readonly bytes: number;
}

/** The name of the file that defines modes of workflows. It is no agent. */
export const MODES_FILE = 'modes';

export class AgentRegistry {
  #admitted: Promise<AdmittedSchema> | null = null;

  /** @param source - `null` if the service has no named agents; an agent name is then only a label. */
  constructor(
    private readonly source: AgentSource | null,
    private readonly engine: Pick<SchemaEngine, 'admit' | 'validate'>,
    private readonly limits: Pick<Limits, 'agentFileBytesMax' | 'documentDepthMax'>,
  ) {}

  /** True if the service has named agents. A session's agent name must then be one of them. */
  get isKept(): boolean {
    return this.source !== null;
  }

  /** The names of all agents, sorted; empty if the service has no named agents. */
  async names(): Promise<readonly string[]> {
    const names = this.source === null ? [] : await this.source.files.names();
    return names.filter((name) => isName(name) && name !== MODES_FILE);
  }

  /** @returns `null` if there is no such agent. */
  async look(name: string): Promise<AgentFile | null> {
    // Not every transport validates the name, and the name becomes part of a path.
    if (this.source === null || !isName(name) || name === MODES_FILE) return null;
    const found = await this.#read(this.source, name);
    if (found === null) return null;
    if ('faults' in found) return { name, ...found };
    return this.#checked(name, found, this.source);
  }

  /** The modes that the folder defines, as its file has them; an empty list if it has no such file. */
  async modes(): Promise<{ readonly value: JsonValue } | Faults> {
    const found = this.source === null ? null : await this.#read(this.source, MODES_FILE);
    if (found === null) return { value: [] };
    if ('faults' in found) return found;
    const { value } = found;
    const modes = isJsonObject(value) ? value['modes'] : undefined;
    if (modes === undefined) return { faults: [fault('modes', 'must be an object with the member modes')] };
    const faults = modeFaults(modes).map((one) => ({ ...one, pointer: `/modes${one.pointer}` }));
    return faults.length > 0 ? { faults } : { value: modes };
  }

  /** @returns The agent's blueprint; or `agent_not_found` or `agent_broken`. */
  async find(name: string): Promise<Result<Blueprint>> {
    const file = await this.look(name);
    if (file === null) {
      const known = (await this.names()).slice(0, NAMES_LISTED_MAX);
      return fail('agent_not_found', `There is no agent ${name}.`, { agent: name, known });
    }
    if ('blueprint' in file) return ok(file.blueprint);
    const { faults } = file;
    const detail = `The file of the agent ${name} cannot be used${firstOf(faults)}.`;
    return fail('agent_broken', detail, { agent: name, errors: faults });
  }

  /** The agents, and the modes, whose files cannot be used, with what is wrong with each. */
  async broken(): Promise<readonly { name: string; faults: readonly Violation[] }[]> {
    const files = await Promise.all((await this.names()).map((name) => this.look(name)));
    const modes = await this.modes();
    const all = [...files, 'faults' in modes ? { name: MODES_FILE, faults: modes.faults } : null];
    return all.flatMap((file) => (file !== null && 'faults' in file ? [file] : []));
  }

  /** Reads a file of the folder. @returns Its value, or what is wrong with it; `null` if it does not exist. */
  async #read({ files }: AgentSource, name: string): Promise<Read | Faults | null> {
    let text: string | null;
    try {
      text = await files.read(name);
    } catch (error) {
      return { faults: [fault('file', messageOf(error))] };
    }
    if (text === null) return null;
    const bytes = Buffer.byteLength(text);
    const { agentFileBytesMax, documentDepthMax } = this.limits;
    if (bytes > agentFileBytesMax) {
      const message = `has ${String(bytes)} bytes; at most ${String(agentFileBytesMax)} are allowed`;
      return { faults: [fault('agentFileBytesMax', message)] };
    }
    const document = parsed(text);
    if (typeof document === 'string') return { faults: [fault('json', `is not JSON: ${document}`)] };
    if (isDeeperThan(document.value, documentDepthMax)) {
      const message = `is nested deeper than ${String(documentDepthMax)} levels`;
      return { faults: [fault('documentDepthMax', message)] };
    }
    return { value: document.value, bytes };
  }

  async #checked(name: string, { value, bytes }: Read, { schema }: AgentSource): Promise<AgentFile> {
    this.#admitted ??= admitted(this.engine, schema);
    const result = await this.engine.validate(await this.#admitted, value, bytes);
    const faults = result.ok ? result.value : [fault('schema', result.failure.detail)];
    if (faults.length > 0) return { name, faults };
    const blueprint = blueprintOf(value);
    const further = faultsOf(blueprint, reservedByRunner);
    return further.length > 0 ? { name, faults: further } : { name, blueprint };
  }
}

const NAMES_LISTED_MAX = 50;

async function admitted(
  engine: Pick<SchemaEngine, 'admit'>,
  schema: AgentSource['schema'],
): Promise<AdmittedSchema> {
  const result = await engine.admit(schema, 'value');
  if (result.ok) return result.value;
  throw new Error(`the schema of agents is not admitted: ${result.failure.detail}`);
}

/** The messages that need a subject. All others are sentences of their own, such as `the member "executor" is missing`. */
const NEEDS_SUBJECT = /^(must|cannot|is|has|does|opens|names) /;

/** The first of the faults of a file, at the end of a sentence. */
export function firstOf([first]: readonly Violation[]): string {
  if (first === undefined) return '';
  const { pointer, message } = first;
  if (NEEDS_SUBJECT.test(message)) return `: ${pointer === '' ? 'it' : pointer} ${message}`;
  return pointer === '' ? `: ${message}` : `: at ${pointer}, ${message}`;
}

function fault(keyword: string, message: string): Violation {
  return { pointer: '', keyword, message, expected: null };
}

/** @returns The value, or the parser's error message. */
function parsed(text: string): { readonly value: JsonValue } | string {
  try {
    return { value: JSON.parse(withoutByteOrderMark(text)) as JsonValue };
  } catch (error) {
    return messageOf(error);
  }
}

/** Casts the value to a blueprint. The schema has validated the value before. */
function blueprintOf(value: JsonValue): Blueprint {
  if (!isJsonObject(value)) throw new Error('the schema of agents takes what is no object');
  return value as unknown as Blueprint;
}
