// The settings files of each agent CLI. They stand apart from the definitions, because only `connect` needs the parsers.
import { settings as claudeCode } from './claude-code/settings.js';
import { settings as codex } from './codex/settings.js';
import { settings as gemini } from './gemini/settings.js';
import type { AgentClientName } from './names.js';
import { settings as opencode } from './opencode/settings.js';
import type { ClientSettings } from './settings/client-settings.js';

const BY_NAME: Readonly<Record<AgentClientName, ClientSettings>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
};

export function clientSettings(name: AgentClientName): ClientSettings {
  return BY_NAME[name];
}
