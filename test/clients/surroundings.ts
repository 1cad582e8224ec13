// Where a real client runs: a home of its own, a stand-in for its model, nothing that calls elsewhere.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type Client = 'claude-code' | 'codex' | 'gemini' | 'opencode';

export interface Surroundings {
  readonly home: string;
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Whatever heeds a proxy reaches the loopback alone: nothing listens there. */
const NO_WAY_OUT: Readonly<Record<string, string>> = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

/** @param apiUrl - Of the stand-in. */
export function surroundings(client: Client, apiUrl: string, anonymous = false): Surroundings {
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-home-'));
  const project = path.join(home, 'project');
  mkdirSync(project);
  return { home, project, environment: environmentOf(client, home, apiUrl, anonymous) };
}

function environmentOf(client: Client, home: string, apiUrl: string, anonymous: boolean) {
  return { HOME: home, ...NO_WAY_OUT, ...OWN[client](home, apiUrl, anonymous) };
}

const OWN: Readonly<
  Record<Client, (home: string, apiUrl: string, anonymous: boolean) => Record<string, string>>
> = { 'claude-code': claudeCode, codex, gemini, opencode };

function claudeCode(home: string, apiUrl: string, anonymous: boolean): Record<string, string> {
  return {
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: anonymous ? '' : 'a-key-for-the-stand-in',
    CLAUDE_CODE_MAX_RETRIES: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

/** The same place, with another stand-in. */
export function movedTo(client: Client, place: Surroundings, apiUrl: string): Surroundings {
  return { ...place, environment: environmentOf(client, place.home, apiUrl, false) };
}

function codex(home: string, apiUrl: string, anonymous: boolean): Record<string, string> {
  const folder = path.join(home, '.codex');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'config.toml'),
    `model_provider = "stand-in"
check_for_update_on_startup = false

[analytics]
enabled = false

# Otherwise it looks for a list of plugins on the network whenever it starts.
[features]
plugins = false

[model_providers.stand-in]
name = "stand-in"
base_url = "${apiUrl}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`,
  );
  return {
    CODEX_HOME: folder,
    ...(anonymous ? {} : { OPENAI_API_KEY: 'a-key-for-the-stand-in' }),
  };
}

function gemini(home: string, apiUrl: string, anonymous: boolean): Record<string, string> {
  const folder = path.join(home, '.gemini');
  mkdirSync(folder, { recursive: true });
  const settings = {
    general: { maxAttempts: 1, enableAutoUpdate: false },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'gemini-2.5-flash' },
  };
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
  return {
    GOOGLE_GEMINI_BASE_URL: apiUrl,
    ...(anonymous ? {} : { GEMINI_API_KEY: 'a-key-for-the-stand-in' }),
  };
}

/**
 * As opencode leaves its folders of settings once it has got its own package for plugins from the registry. Ours needs
 * nothing of it, and without it every start with a plugin waits until the registry was found to be away.
 */
function havingPluginPackage(folder: string): void {
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  const lock = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } };
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function opencode(home: string, apiUrl: string): Record<string, string> {
  havingPluginPackage(path.join(home, '.config', 'opencode'));
  havingPluginPackage(path.join(home, 'project', '.opencode'));
  const file = path.join(home, 'opencode.json');
  const standIn = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${apiUrl}/v1`, apiKey: 'a-key-for-the-stand-in' },
    models: { m: { name: 'm' } },
  };
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'stand-in/m',
    small_model: 'stand-in/m',
    provider: { 'stand-in': standIn },
  };
  writeFileSync(file, JSON.stringify(config));
  return { OPENCODE_CONFIG: file, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' };
}
