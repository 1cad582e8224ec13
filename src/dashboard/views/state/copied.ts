// What can be copied of a state: ways to read it from elsewhere.
import { quoted } from '../../parts/text/quoted.js';
import type { Pointer } from './document.js';

/** @param at - The version; the present one by default. */
export function curlOf(id: string, pointer: Pointer, at: number | undefined): string {
  const url = new URL(`/workflow-states/${id}`, location.origin);
  if (pointer !== '') url.searchParams.set('pointer', pointer);
  if (at !== undefined) url.searchParams.set('at_version', String(at));
  return `curl ${quoted(url.href)}`;
}

export function commandOf(id: string, pointer: Pointer, at: number | undefined): string {
  const words = ['countersign state get', quoted(id)];
  if (pointer !== '') words.push('--pointer', quoted(pointer));
  if (at !== undefined) words.push('--at-version', String(at));
  return [...words, '--url', quoted(location.origin)].join(' ');
}

/**
 * The server entry for an MCP client. Its tools are about the state of the tree: the root's without tokens, the one that
 * belongs to the token otherwise.
 */
export function mcpConfigurationOf(rootSessionName: string, hasTokens: boolean): string {
  const headers = hasTokens
    ? { Authorization: 'Bearer ${COUNTERSIGN_TOKEN}' }
    : { 'X-Agent-Session-Name': rootSessionName };
  const countersign = { type: 'http', url: new URL('/mcp', location.origin).href, headers };
  return `${JSON.stringify({ mcpServers: { countersign } }, null, 2)}\n`;
}
