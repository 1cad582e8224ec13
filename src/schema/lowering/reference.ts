// References between the subschemas of one document: `$ref`, `$dynamicRef`, `$recursiveRef`. External ones
// are invalid.
import type { JsonObject } from '../../domain/json/json.js';
import { resolveUri, type Subschema } from './outline.js';

/** The keywords that contain a reference. */
export const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
type ReferenceKeyword = (typeof REFERENCE_KEYWORDS)[number];

/** True if a keyword contains a reference. */
export function isReference(keyword: string): boolean {
  return REFERENCE_KEYWORDS.some((one) => one === keyword);
}

function text(schema: JsonObject | boolean, keyword: string): string | null {
  const value = typeof schema === 'boolean' ? undefined : schema[keyword];
  return typeof value === 'string' ? value : null;
}

/** Resolves references in one outline. */
export class References {
  readonly #byPointer = new Map<string, Subschema>();
  readonly #byUri = new Map<string, Subschema>();
  /** Subschemas whose name an earlier one already has. References resolve to the first. */
  readonly duplicates: Subschema[] = [];
  readonly #dynamic = new Map<string, Subschema[]>();

  constructor(outline: readonly Subschema[]) {
    for (const subschema of outline) {
      const { schema, base, pointer } = subschema;
      this.#byPointer.set(pointer, subschema);
      const named = text(schema, '$id');
      // Nothing can refer to a name that is no URI reference.
      const id = named === null || resolveUri(named, base) === null ? null : named;
      // In draft-07, an `$id` of the form `#name` is an anchor.
      const fragment = id?.includes('#') ? id.slice(id.indexOf('#')) : '';
      if (pointer === '' || (id !== null && !id.startsWith('#'))) this.#name(base, subschema);
      if (fragment.length > 1) this.#name(base + fragment, subschema);
      const dynamic = text(schema, '$dynamicAnchor');
      for (const anchor of [text(schema, '$anchor'), dynamic]) {
        if (anchor !== null) this.#name(`${base}#${anchor}`, subschema);
      }
      if (dynamic !== null) this.#addDynamic(dynamic, subschema);
      if (typeof schema !== 'boolean' && schema['$recursiveAnchor'] === true) this.#addDynamic('', subschema);
    }
  }

  /** The references of a subschema, each with its possible targets. */
  of(subschema: Subschema) {
    return REFERENCE_KEYWORDS.flatMap((keyword) => {
      const reference = text(subschema.schema, keyword);
      if (reference === null) return [];
      return [{ keyword, reference, targets: this.targets(subschema, keyword, reference) }];
    });
  }

  /**
   * All possible targets of a reference; more than one only if it is dynamic. None if it is external, or does
   * not point to a subschema.
   */
  targets(from: Subschema, keyword: ReferenceKeyword, reference: string): readonly Subschema[] {
    const fixed = this.resolve(reference, from.base);
    if (fixed === undefined) return [];
    const anchor = this.anchorOf(keyword, reference, fixed);
    return anchor === null ? [fixed] : [...new Set([fixed, ...this.dynamic(anchor)])];
  }

  /**
   * The dynamic anchor that a reference looks up on the path to it; `null` if it always means its fixed target.
   *
   * @param fixed - The fixed target.
   */
  anchorOf(keyword: ReferenceKeyword, reference: string, fixed: Subschema): string | null {
    if (keyword === '$ref') return null;
    if (keyword === '$recursiveRef') return this.dynamic('').includes(fixed) ? '' : null;
    const anchor = reference.includes('#') ? reference.slice(reference.indexOf('#') + 1) : '';
    return anchor !== '' && text(fixed.schema, '$dynamicAnchor') === anchor ? anchor : null;
  }

  /** The subschemas with a dynamic anchor; the empty name stands for `$recursiveAnchor`. */
  dynamic(anchor: string): readonly Subschema[] {
    return this.#dynamic.get(anchor) ?? [];
  }

  #name(uri: string, subschema: Subschema): void {
    const known = this.#byUri.get(uri);
    if (known === undefined) this.#byUri.set(uri, subschema);
    else if (known !== subschema) this.duplicates.push(subschema);
  }

  #addDynamic(anchor: string, subschema: Subschema): void {
    this.#dynamic.set(anchor, [...(this.#dynamic.get(anchor) ?? []), subschema]);
  }

  /** The subschema that a URI reference points to. */
  resolve(reference: string, base: string): Subschema | undefined {
    const uri = resolveUri(reference, base);
    if (uri === null) return undefined;
    const hash = uri.indexOf('#');
    const resource = this.#byUri.get(hash === -1 ? uri : uri.slice(0, hash));
    const fragment = hash === -1 ? '' : uri.slice(hash + 1);
    if (fragment === '') return resource;
    if (!fragment.startsWith('/')) return this.#byUri.get(uri);
    if (resource === undefined) return undefined;
    try {
      return this.#byPointer.get(resource.pointer + decodeURIComponent(fragment));
    } catch {
      return undefined;
    }
  }
}
