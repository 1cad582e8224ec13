// What the conformance suite has for servers: the scenarios that pass, by revision, and those that do not apply, with
// the reason. docs/mcp.md is held against it.

export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const EVERYWHERE = [
  'completion-complete',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
];
const WITH_HANDSHAKE = ['logging-set-level', 'ping', 'server-initialize', 'tools-call-with-logging'];
const SINCE_2025_11 = ['dns-rebinding-protection', 'json-schema-2020-12'];
const SINCE_2026_07 = [
  'caching',
  'http-custom-header-server-validation',
  'http-header-validation',
  'input-required-result-basic-elicitation',
  'input-required-result-basic-list-roots',
  'input-required-result-basic-sampling',
  'input-required-result-capability-check',
  'input-required-result-ignore-extra-params',
  'input-required-result-missing-input-response',
  'input-required-result-multi-round',
  'input-required-result-multiple-input-requests',
  'input-required-result-non-tool-request',
  'input-required-result-request-state',
  'input-required-result-result-type',
  'input-required-result-tampered-state',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
  'sep-2164-resource-not-found',
  'server-sse-multiple-streams',
  'server-stateless',
];

/** Scenarios in which the suite finds no fault and nothing to warn of. */
export const PASSING: Readonly<Record<Revision, readonly string[]>> = {
  '2025-06-18': [...EVERYWHERE, ...WITH_HANDSHAKE],
  '2025-11-25': [...EVERYWHERE, ...WITH_HANDSHAKE, ...SINCE_2025_11],
  '2026-07-28': [...EVERYWHERE, ...SINCE_2025_11, ...SINCE_2026_07],
};

const NO_REQUESTS =
  'a request from server to client needs a protocol session, and there is none; no tool asks its client';
const NO_SUBSCRIPTIONS =
  'over HTTP updates need a protocol session before 2026-07-28, and there is none; offered on stdio';
const NO_SESSION = 'it tests protocol sessions, and there are none';
const NO_REPLAY = 'it tests streams that are resumed, which need a protocol session; every answer is short';

/** Scenarios of the suite that do not apply, and why. */
export const NOT_APPLICABLE: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2025-06-18': {
    'resources-subscribe': NO_SUBSCRIPTIONS,
    'resources-unsubscribe': NO_SUBSCRIPTIONS,
    'server-session-lifecycle': NO_SESSION,
    'tools-call-elicitation': NO_REQUESTS,
    'tools-call-sampling': NO_REQUESTS,
  },
  '2025-11-25': {
    'elicitation-sep1034-defaults': NO_REQUESTS,
    'elicitation-sep1330-enums': NO_REQUESTS,
    'resources-subscribe': NO_SUBSCRIPTIONS,
    'resources-unsubscribe': NO_SUBSCRIPTIONS,
    'server-session-lifecycle': NO_SESSION,
    'server-sse-multiple-streams': NO_SESSION,
    'server-sse-polling': NO_REPLAY,
    'tools-call-elicitation': NO_REQUESTS,
    'tools-call-sampling': NO_REQUESTS,
  },
  '2026-07-28': {},
};
