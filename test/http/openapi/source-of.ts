// Writes examples as TypeScript source. Of objects that are alike, the first is a constant, and the others extend it.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';

/** An object with fewer members stands where it is used. */
const MEMBERS_MIN = 5;

interface Base {
  readonly value: JsonObject;
  uses: number;
}

interface Extension {
  readonly base: Base;
  /** What the object has beside the members of its base, or has instead of them. */
  readonly members: JsonObject;
}

/** `value` as an extension of `base`; undefined if it is too different. */
function extensionOf(base: Base, value: JsonObject): Extension | undefined {
  const own = Object.entries(value).filter(
    ([name, member]) => JSON.stringify(base.value[name]) !== JSON.stringify(member),
  );
  const members = Object.fromEntries(own);
  const isSame = JSON.stringify({ ...base.value, ...members }) === JSON.stringify(value);
  return isSame && own.length * 2 <= Object.keys(base.value).length ? { base, members } : undefined;
}

class Sources {
  readonly #bases: Base[] = [];
  readonly #extensions = new Map<JsonObject, Extension>();
  readonly #names = new Map<Base, string>();
  readonly constants: string[] = [];

  /** @param noun - What most of the values describe. */
  constructor(private readonly noun: string) {}

  /** Finds the bases. To be called with every value before the first is written. */
  add(value: JsonValue): void {
    if (isJsonArray(value)) value.forEach((item) => this.add(item));
    if (!isJsonObject(value)) return;
    const extension = Object.keys(value).length < MEMBERS_MIN ? undefined : this.#nearest(value);
    if (extension !== undefined) {
      this.#extensions.set(value, extension);
      extension.base.uses += 1;
    }
    this.add(
      Object.values(extension === undefined || extension.base.value === value ? value : extension.members),
    );
  }

  #nearest(value: JsonObject): Extension {
    const [nearest] = this.#bases
      .flatMap((base) => extensionOf(base, value) ?? [])
      .sort((one, other) => Object.keys(one.members).length - Object.keys(other.members).length);
    if (nearest !== undefined) return nearest;
    const base = { value, uses: 0 };
    this.#bases.push(base);
    return { base, members: {} };
  }

  sourceOf(value: JsonValue): string {
    if (isJsonArray(value)) return `[${value.map((item) => this.sourceOf(item)).join(',')}]`;
    if (!isJsonObject(value)) return JSON.stringify(value);
    const extension = this.#extensions.get(value);
    if (extension === undefined || extension.base.uses === 1) return `{${this.#membersOf(value)}}`;
    const { base, members } = extension;
    const name = this.#names.get(base) ?? this.#declare(base);
    return Object.keys(members).length === 0 ? name : `{...${name},${this.#membersOf(members)}}`;
  }

  /** Declares the constant of a base. It is named after the base's first member, if that says what it is. */
  #declare(base: Base): string {
    const source = this.#membersOf(base.value);
    const [first = ''] = Object.keys(base.value);
    const noun = (
      /^(name|(root_)?session_id)$/.test(first) ? this.noun : first.replace(/_id$/, '')
    ).toUpperCase();
    const isTaken = [...this.#names.values()].includes(noun);
    const name = isTaken ? `${noun}_${String(this.#names.size + 1)}` : noun;
    this.#names.set(base, name);
    this.constants.push(`const ${name} = {${source}};\n\n`);
    return name;
  }

  #membersOf(value: JsonObject): string {
    return Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${this.sourceOf(member)}`)
      .join(',');
  }
}

/** The source of `examples`, and of the constants that it uses. */
export function sourceOf(examples: Readonly<Record<string, JsonObject>>, noun: string) {
  const sources = new Sources(noun);
  for (const { body = null, answer = null } of Object.values(examples)) sources.add([body, answer]);
  const source = sources.sourceOf(examples);
  return { source, constants: sources.constants.join('') };
}
