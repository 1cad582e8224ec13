// Names of components, derived from names of the wire contract.

/** `version_conflict` and `if-match` become `VersionConflict` and `IfMatch`. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The components of one section. Components with equal content share one name. */
export class Shared<T> {
  readonly #names = new Map<string, string>();
  readonly entries: Record<string, T> = {};

  constructor(private readonly section: string) {}

  /** @returns A reference to the component. If another component has the name, a number is appended. */
  put(name: string, component: T): { readonly $ref: string } {
    const text = JSON.stringify(component);
    let known = this.#names.get(text);
    if (known === undefined) {
      known = name;
      for (let count = 2; Object.hasOwn(this.entries, known); count += 1) known = `${name}_${String(count)}`;
      this.#names.set(text, known);
      this.entries[known] = component;
    }
    return { $ref: `#/components/${this.section}/${known}` };
  }
}
