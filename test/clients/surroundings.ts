// Where a real client runs: a home of its own, a stand-in for its model, nothing that calls elsewhere.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type Client = 'claude-code' | 'codex';

export interface Surroundings {
  readonly home: string;
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** @param apiUrl - Of the stand-in. */
export function surroundings(client: Client, apiUrl: string, anonymous = false): Surroundings {
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-home-'));
  const project = path.join(home, 'project');
  mkdirSync(project);
  const own = client === 'claude-code' ? claudeCode(home, apiUrl, anonymous) : codex(home, apiUrl, anonymous);
  return { home, project, environment: { HOME: home, ...own } };
}

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
  const own =
    client === 'claude-code' ? claudeCode(place.home, apiUrl, false) : codex(place.home, apiUrl, false);
  return { ...place, environment: { HOME: place.home, ...own } };
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

[model_providers.stand-in]
name = "stand-in"
base_url = "${apiUrl}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`,
  );
  return { CODEX_HOME: folder, ...(anonymous ? {} : { OPENAI_API_KEY: 'a-key-for-the-stand-in' }) };
}
