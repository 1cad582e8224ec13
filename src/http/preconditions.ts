// If-Match and If-None-Match (RFC 9110, section 13): parsing of entity tags, conditional reads, and conditions
// of writes.
import { ok, invalidMember, fail, type Result, type Failure } from '../domain/errors.js';
import type { KeyTag, KeyWriteOptions } from '../ports/key-service.js';
import type { WriteOptions } from '../ports/service.js';
import type { RequestContext } from './requests/request-context.js';
import { emptyReply, type Reply } from './replies/reply.js';

/** One entity tag of a list, with the parts that a comparison needs. */
interface EntityTag {
  readonly weak: boolean;
  /** With its quotes. */
  readonly tag: string;
}

type TagList = '*' | readonly EntityTag[];

type Header = (name: string) => string | null;

const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;
const VERSION = /^"([1-9][0-9]{0,15})(?:\.([A-Za-z0-9_-]{1,128}))?"$/;

/**
 * The entity tag of a version if the URL may later refer to another state, because a tree may have several
 * states in turn.
 */
export function tagWithin(version: number, stateId: string): string {
  return `"${String(version)}.${stateId}"`;
}

/** The members of a list of entity tags, or `*`; `null` for neither (RFC 9110, sections 8.8.3 and 5.6.1). */
function parseTags(value: string): TagList | null {
  if (value.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < value.length) {
    const found = ELEMENT.exec(value);
    if (found === null) return null;
    const [, weak, tag] = found;
    if (tag !== undefined) tags.push({ weak: weak !== undefined, tag });
  }
  return tags.length === 0 ? null : tags;
}

/** The condition in a header; `null` if there is none; or `invalid_request`. */
function tagsIn(header: Header, name: 'if-match' | 'if-none-match'): Result<TagList | null> {
  const value = header(name);
  if (value === null) return ok(null);
  const tags = parseTags(value);
  if (tags !== null) return ok(tags);
  return invalidMember(
    `/headers/${name}`,
    'must be a list of entity tags, or *',
    'the ETag as it was answered, such as "7" (in double quotes), several of them with commas between, or *',
  );
}

interface Conditions {
  readonly match: TagList | null;
  readonly noneMatch: TagList | null;
}

function conditionsIn(context: RequestContext): Result<Conditions> {
  const header = (name: string) => context.header(name);
  const match = tagsIn(header, 'if-match');
  if (!match.ok) return match;
  const noneMatch = tagsIn(header, 'if-none-match');
  return noneMatch.ok ? ok({ match: match.value, noneMatch: noneMatch.value }) : noneMatch;
}

/** The present values that a read compares its conditions with. */
export interface Validator {
  /** The entity tag of the answer, and its equivalents. */
  readonly tags: readonly [string, ...string[]];
  readonly version: number;
  /** Members that a failed `If-Match` reports besides the version. */
  readonly present: () => Failure['members'];
}

/**
 * The reply to a read with an entity tag: 412 if `If-Match` fails, then 304 if `If-None-Match` fails.
 *
 * @param make - Creates the reply with the given headers.
 */
export function conditionalReply(
  context: RequestContext,
  { tags, version, present }: Validator,
  make: (headers: { readonly etag: string }) => Reply,
): Result<Reply> {
  const [etag] = tags;
  const match = context.header('if-match');
  if (match !== null) {
    const list = tagsIn((name) => context.header(name), 'if-match');
    if (!list.ok) return list;
    if (list.value !== null && !isAmong(list.value, tags, true)) {
      const detail = `The version is ${String(version)}: none of those that If-Match names.`;
      return fail('version_conflict', detail, {
        current_version: version,
        your_version: null,
        ...present(),
      });
    }
  }
  const known = context.header('if-none-match');
  if (known === null || !isKnown(known, tags)) return ok(make({ etag }));
  // Only a caller that names the version has it.
  if (known.trim() === '*') context.withholdReads();
  return ok(emptyReply(304, { etag }));
}

function isKnown(header: string, tags: Validator['tags']): boolean {
  if (header === tags[0]) return true;
  const list = parseTags(header);
  // If the condition cannot be parsed, the read returns the value.
  return list !== null && isAmong(list, tags, false);
}

/** @param strongly - True if weak tags match nothing (RFC 9110, section 8.8.3.2). */
function isAmong(list: TagList, tags: readonly string[], strongly: boolean): boolean {
  if (list === '*') return true;
  return list.some(({ weak, tag }) => !(weak && strongly) && tags.includes(tag));
}

/** The versions in a list of tags. A tag with only a version matches any state. */
function versionTags(list: readonly EntityTag[], strongly: boolean): readonly KeyTag[] {
  return list.flatMap(({ weak, tag }) => {
    const [, version, stateId] = VERSION.exec(tag) ?? [];
    if (version === undefined || (weak && strongly)) return [];
    return [{ version: Number(version), ...(stateId === undefined ? {} : { stateId }) }];
  });
}

/**
 * The conditions of a write on the state's version. A tag is the version alone (`"7"`), or with the id of the
 * state.
 *
 * @returns The conditions; or `invalid_request`.
 */
export function stateConditions(
  context: RequestContext,
  stateId: string,
): Result<Pick<WriteOptions, 'ifMatch' | 'ifNoneMatch'>> {
  const found = conditionsIn(context);
  if (!found.ok) return found;
  const { match, noneMatch } = found.value;
  const versionsOf = (list: readonly EntityTag[], strongly: boolean) =>
    versionTags(list, strongly)
      .filter((one) => one.stateId === undefined || one.stateId === stateId)
      .map(({ version }) => version);
  // `*` needs no check: without a state there is nothing to write to.
  const versions = match === null || match === '*' ? undefined : versionsOf(match, true);
  const single = match?.length === 1 && versions?.length === 1 ? versions[0] : versions;
  const unwanted = noneMatch === null || noneMatch === '*' ? noneMatch : versionsOf(noneMatch, false);
  return ok({ ifMatch: single, ...(unwanted === null ? {} : { ifNoneMatch: unwanted }) });
}

/**
 * The conditions of a write on a key. A tag is the version of the key alone (`"3"`), or with the id of the
 * state.
 *
 * @returns The conditions; or `invalid_request`.
 */
export function keyConditions(context: RequestContext): Result<KeyWriteOptions> {
  const found = conditionsIn(context);
  if (!found.ok) return found;
  const { match, noneMatch } = found.value;
  const none = noneMatch === null || noneMatch === '*' ? null : versionTags(noneMatch, false);
  return ok({
    ifAbsent: noneMatch === '*',
    ...(none === null ? {} : { ifNoneMatch: none }),
    ...keyMatch(match),
  });
}

function keyMatch(match: TagList | null): Pick<KeyWriteOptions, 'ifMatch' | 'ofState'> {
  if (match === null) return {};
  if (match === '*') return { ifMatch: '*' };
  const versions = versionTags(match, true);
  const [only] = versions;
  if (match.length > 1 || only === undefined) return { ifMatch: versions };
  return { ifMatch: only.version, ...(only.stateId === undefined ? {} : { ofState: only.stateId }) };
}

const CONDITIONS = ['If-Match', 'If-None-Match'] as const;

/**
 * Refuses conditions that a write does not support, because ignoring one would break a promise.
 *
 * @param supported - Headers that the write reads.
 * @returns A check of one request's headers: `null`, or `invalid_request` for an unsupported condition.
 *   `If-Match: *` is allowed.
 */
export function refuseConditions(supported: readonly string[]) {
  const others = CONDITIONS.filter((name) => !supported.includes(name)).map((name) => name.toLowerCase());
  return (header: Header) => {
    for (const name of others) {
      const value = header(name);
      if (value === null || (name === 'if-match' && value.trim() === '*')) continue;
      const pointer = `/headers/${name}`;
      return invalidMember(pointer, 'is a condition that this request does not take', `no ${name}`);
    }
    return null;
  };
}

/** True if a version conflict concerns a condition in the headers, not a version in the body. */
export function isOfCondition(header: Header, { members }: Failure): boolean {
  const yours = members['your_version'];
  const match = header('if-match');
  if (typeof yours !== 'number') return (match ?? header('if-none-match')) !== null;
  const list = match === null ? null : parseTags(match);
  // Only the version of a single tag is reported.
  return list !== null && list !== '*' && list.length === 1 && versionTags(list, true)[0]?.version === yours;
}
