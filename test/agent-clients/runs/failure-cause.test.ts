import { describe, expect, it } from 'vitest';
import { causeOf, causeOfExit, causeOfSpawnError } from '../../../src/agent-clients/runs/failure-cause.js';

describe('the cause of a failure', () => {
  it.each([
    // What clients print where no status is known.
    ['Invalid API key · Fix external API key', null, 'configuration'],
    ['Not logged in · Please run /login', null, 'configuration'],
    ['OAuth token has expired. Please run /login', null, 'configuration'],
    ['This organization has been disabled.', null, 'configuration'],
    ['Your credit balance is too low to access the API.', null, 'configuration'],
    ['There is an issue with the selected model (no-such). It may not exist', null, 'configuration'],
    ['API Error: 401 {"type":"error","error":{"type":"authentication_error"}}', null, 'configuration'],
    ['unexpected status 401 Unauthorized: Incorrect API key provided', null, 'configuration'],
    ['Missing environment variable: `OPENAI_API_KEY`.', null, 'configuration'],
    ['The model `gpt-none` does not exist or you do not have access to it.', null, 'configuration'],
    ["The 'x' model is not supported when using Codex with this account.", null, 'configuration'],
    ['Your access token could not be refreshed. Please log out and sign in again.', null, 'configuration'],
    ['you must specify the GEMINI_API_KEY environment variable.', null, 'configuration'],
    ['Please set an Auth method in your settings.json', null, 'configuration'],
    ['models/none is not found for API version v1beta', null, 'configuration'],
    ['You exceeded your current quota: insufficient_quota', null, 'configuration'],
    ['Prompt is too long', null, 'prompt_too_long'],
    ["Codex ran out of room in the model's context window. Start a new thread", null, 'prompt_too_long'],
    ['Your input exceeds the context window of this model.', null, 'prompt_too_long'],
    ["This model's maximum context length is 8192 tokens.", null, 'prompt_too_long'],
    ['The input token count (2000000) exceeds the maximum number of tokens allowed', null, 'prompt_too_long'],
    ['You have hit your session limit · resets 5pm', null, 'rate_limit'],
    ['You exceeded your current quota, please check your plan and billing details.', null, 'rate_limit'],
    ['Quota exceeded for requests per minute; see the billing page', null, 'rate_limit'],
    ['exceeded retry limit, last status: 429 Too Many Requests', null, 'rate_limit'],
    ['API Error: 529 Overloaded', null, 'environment'],
    ['Unable to connect to API (ConnectionRefused)', null, 'environment'],
    ['connect ECONNREFUSED 127.0.0.1:8080', null, 'environment'],
    ['The model is overloaded. Please try again later.', null, 'environment'],
    ['stream disconnected before completion', null, 'environment'],
    ['I could not do it', null, 'agent'],
    // The status goes first where it is known.
    ['authentication backend away', 503, 'environment'],
    ['slow down', 429, 'rate_limit'],
    ['insufficient_quota', 429, 'configuration'],
    ['no', 401, 'configuration'],
    ['no', 402, 'configuration'],
    ['no', 403, 'configuration'],
    ['model: none', 404, 'configuration'],
    ['too slow', 408, 'environment'],
    ['too much', 413, 'prompt_too_long'],
    ['API key not valid. Please pass a valid API key.', 400, 'configuration'],
    ['prompt is too long: 250000 tokens > 200000 maximum', 400, 'prompt_too_long'],
    ['prompt: wrong', 400, 'agent'],
  ] as const)('of "%s" with the status %s is %s', (message, status, cause) => {
    expect(causeOf(message, status)).toBe(cause);
  });

  it.each([
    [1, "error: unknown option '--no-such'", 'configuration'],
    [127, 'sh: claude: not found', 'configuration'],
    [1, 'TypeError: x is not a function', 'environment'],
    [1, 'Invalid API key', 'configuration'],
    [143, 'Invalid API key', 'environment'],
    [null, 'Invalid API key', 'environment'],
  ] as const)('of a program that ended with %s, saying "%s", is %s', (code, printed, cause) => {
    expect(causeOfExit(code, printed)).toBe(cause);
  });

  it.each([
    ['spawn claude ENOENT', 'configuration'],
    ['spawn claude EACCES', 'configuration'],
    ['there is no directory here', 'configuration'],
    ['spawn claude EAGAIN', 'environment'],
    ['spawn claude EMFILE', 'environment'],
  ] as const)('of a process that could not be started (%s) is %s', (reason, cause) => {
    expect(causeOfSpawnError(reason)).toBe(cause);
  });
});
