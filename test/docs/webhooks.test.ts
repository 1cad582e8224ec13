// The snippets of docs/webhooks.md do what the page says.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { newSecret, signedHeaders } from '../../src/service/webhooks/signature.js';
import { textOf } from './markdown.js';

const text = textOf('docs/webhooks.md');
const snippet = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text)?.[1] ?? '';
const body = '{"type":"run_updated","data":{"name":"é"}}';
const secret = newSecret();
const headers = signedHeaders(secret, 'dlv_1', Date.now(), body);
const old = signedHeaders(secret, 'dlv_1', Date.now() - 3_600_000, body);
const CASES: readonly [string, Record<string, string>, string, boolean][] = [
  ['a message', headers, body, true],
  ['a message among several signatures', { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature'] ?? ''}` }, body, true],
  ['a changed body', headers, `${body} `, false],
  ['another id', { ...headers, 'webhook-id': 'dlv_2' }, body, false],
  ['an old message', old, body, false],
]; // prettier-ignore

describe('the snippet for Node.js', () => {
  test.each(CASES)('verifies %s', async (_what, given, sent, genuine) => {
    const module = (await import(`data:text/javascript,${encodeURIComponent(snippet('js'))}`)) as {
      isFromCountersign: (secret: string, headers: object, body: string) => boolean;
    };
    expect(module.isFromCountersign(secret, given, sent)).toBe(genuine);
  });
});

describe.runIf(hasPython())('the snippet for Python', () => {
  test.each(CASES)('verifies %s', (_what, given, sent, genuine) => {
    const call = `import sys, json\nsecret, headers, body = json.load(sys.stdin)\nprint(is_from_countersign(secret, headers, body.encode()))`;
    const said = execFileSync('python3', ['-c', `${snippet('python')}\n${call}`], {
      input: JSON.stringify([secret, given, sent]),
    });
    expect(said.toString().trim()).toBe(genuine ? 'True' : 'False');
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
