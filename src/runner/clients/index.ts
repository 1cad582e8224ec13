// The clients that a runner supports, by executor type.
import type { AgentCli } from '../agent/agent-cli.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';

export const AGENT_CLIS: readonly AgentCli[] = [claudeCode, codex, gemini, opencode];
