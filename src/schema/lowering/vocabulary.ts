// The keywords of each draft. An unlisted keyword is not JSON Schema of that draft, even if Ajv supports it:
// registration rejects it, and in a stored schema it has no effect.
import type { Draft } from './draft.js';
import { OWN_KEYWORDS } from './own-keywords.js';

function words(text: string): readonly string[] {
  return text.split(' ');
}

/**
 * `$defs`, `$vocabulary`, `contentSchema` and `deprecated` do not affect validity, so draft-07 may contain them too.
 */
const ALL_DRAFTS = words(
  '$comment $defs $id $ref $schema $vocabulary additionalProperties allOf anyOf const contains contentEncoding ' +
    'contentMediaType contentSchema default definitions dependencies deprecated description else enum examples ' +
    'exclusiveMaximum exclusiveMinimum format if items maxItems maxLength maxProperties maximum minItems minLength ' +
    'minProperties minimum multipleOf not oneOf pattern patternProperties properties propertyNames readOnly ' +
    'required then title type uniqueItems writeOnly',
);
const SINCE_2019 = words(
  '$anchor dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties',
);

/** The keywords of each draft. The newer ones still support `dependencies` and `definitions`. */
export const KEYWORDS: Readonly<Record<Draft, ReadonlySet<string>>> = {
  'draft-07': new Set([...ALL_DRAFTS, 'additionalItems']),
  '2019-09': new Set([...ALL_DRAFTS, ...SINCE_2019, 'additionalItems', '$recursiveAnchor', '$recursiveRef']),
  '2020-12': new Set([...ALL_DRAFTS, ...SINCE_2019, 'prefixItems', '$dynamicAnchor', '$dynamicRef']),
};

/** True for a keyword of the draft, and for Countersign's own keywords. */
export function isKeyword(draft: Draft, keyword: string): boolean {
  return KEYWORDS[draft].has(keyword) || Object.hasOwn(OWN_KEYWORDS, keyword);
}

const INSTEAD: Readonly<Record<string, string>> = {
  $async: 'leave it out: documents are checked at once',
  nullable: 'name "null" among the types: "type": ["string", "null"]',
  discriminator: 'leave it out, and tell the branches of "oneOf" apart by a "const" in each',
  formatMinimum: 'leave it out: a format cannot be compared',
  formatMaximum: 'leave it out: a format cannot be compared',
  formatExclusiveMinimum: 'leave it out: a format cannot be compared',
  formatExclusiveMaximum: 'leave it out: a format cannot be compared',
  id: 'write "$id"',
  $recursiveRef: 'write "$dynamicRef" in 2020-12',
  $recursiveAnchor: 'write "$dynamicAnchor" in 2020-12',
  $dynamicRef: 'write "$recursiveRef" in 2019-09',
  $dynamicAnchor: 'write "$recursiveAnchor" in 2019-09',
  $anchor: 'write "$id": "#name" in draft-07',
  prefixItems: 'write "items" with a list of schemas',
  additionalItems: 'write "prefixItems" for the list, and "items" for what follows it',
};

/** What to write instead of an unknown keyword. */
export function insteadOf(keyword: string): string {
  return Object.hasOwn(INSTEAD, keyword)
    ? (INSTEAD[keyword] ?? '')
    : 'a keyword of JSON Schema; "title", "description", "$comment" and "examples" take notes';
}
