// Which command lines count as ours in the settings of a client, and which call our hooks and nothing else.
import { describe, expect, it } from 'vitest';
import { AGENT_CLIENTS } from '../../../src/agent-clients/index.js';
import { callsHook, isOurs } from '../../../src/agent-clients/settings/hook-commands.js';
import { hookEntries } from '../../../src/agent-clients/settings/hook-entries.js';

describe('a command that we write', () => {
  const WAITS = [undefined, 0, 1_500, 86_400_000];
  const URLS = [undefined, 'http://127.0.0.1:4717', 'https://[::1]:8/a-b/c_d/'];
  const AGENTS = [[], ['reviewer'], ['a:b', 'c.d-e', 'F_1']];

  it.each(AGENT_CLIENTS.map((client) => [client.name, client] as const))('is ours: %s', async (_, client) => {
    const settings = await client.settings();
    const commands = WAITS.flatMap((waitMs) =>
      URLS.flatMap((url) =>
        AGENTS.flatMap((agents) =>
          hookEntries({ client: client.name, gate: true, agents, waitMs, url }, settings.hooks),
        ),
      ),
    ).map(({ command }) => command);
    expect(commands.length).toBeGreaterThan(100);
    for (const command of commands) {
      expect([command, isOurs(command), callsHook(command)]).toEqual([command, true, true]);
    }
  });
});

describe('a command that calls a hook in another form', () => {
  it.each([
    'countersign hook stop',
    'countersign hook stop --client claude-code',
    'countersign hook stop --client claude-code --session mine --wait 10s',
    'countersign hook subagent-stop --client codex --agents a --session b',
    '  countersign   hook stop --client gemini ',
    'countersign hook session-start --client claude-code\n',
    '/usr/local/bin/countersign hook stop --client codex --wait 0s',
    '"/opt/my tools/countersign" hook stop --client codex',
    "'/opt/my tools/countersign.js' hook session-end --client codex",
    '"C:\\Program Files\\nodejs\\countersign.cmd" hook stop --client claude-code',
    '"C:\\Program Files\\nodejs\\node.exe" C:\\tools\\countersign.js hook stop --client claude-code',
    'node /opt/countersign.js hook wake --client claude-code',
    'node --no-warnings "$HOME/bin/countersign.js" hook wake --client claude-code',
    'npx -y countersign hook awaited --client codex',
    'AGENT_SESSION_NAME=lead countersign hook stop --client codex',
    "A='b c' B=$C countersign hook stop --client codex --url ${URL}",
    'npx countersign hook pre-tool-use --client codex || exit 2',
    'npx countersign@0.1.0 hook stop',
    'npx -y countersign@latest hook stop --client codex',
    'npx --yes "countersign@^0.1.0" hook stop',
    'npx -p countersign countersign hook stop',
    'npx --package=countersign@0.1.0 -- countersign hook stop',
    'npx --registry=http://localhost:4873 countersign hook stop',
    'npm exec -- countersign hook stop',
    'npm exec countersign -- hook stop --client codex',
    'pnpm exec countersign hook stop',
    'pnpm --silent dlx countersign@0.1.0 hook stop',
    'pnpm countersign hook stop',
    'yarn countersign hook stop',
    'yarn -s run countersign hook stop',
    'yarn dlx -q countersign hook stop',
    'bunx countersign hook stop',
    'bun x countersign@latest hook stop',
    'node /opt/app/dist/main/bin.js hook stop',
    'node dist/main/bin.js hook stop --client codex',
    'node "C:\\code\\app\\dist\\main\\bin.js" hook stop',
    'node --max-old-space-size=64 ../node_modules/countersign/dist/main/bin.js hook stop',
    '$HOME/countersign/bin.js hook stop',
    'env countersign hook stop',
    'env A=b countersign hook stop',
    "C=d /usr/bin/env A=b 'E=f g' npx countersign hook stop",
    'countersign --url http://127.0.0.1:4717 hook stop',
    'countersign --url=http://127.0.0.1:4717 hook stop --client codex',
    'countersign hook stop 2>/dev/null',
    'countersign hook stop --client codex 2>> /dev/null',
    'countersign hook stop || true',
    'countersign hook stop --client codex||:',
    'npx countersign hook stop 2>/dev/null || exit 0',
  ])('does nothing else, but a user may have written it: %j', (command) => {
    expect([isOurs(command), callsHook(command)]).toEqual([false, true]);
  });
});

describe('a command of a user', () => {
  it.each([
    'echo countersign hook stop',
    'echo countersign hook stop --client claude-code --wait 0s',
    'echo "countersign hook stop"',
    'notify-send done && countersign hook stop --client claude-code',
    'logger x; countersign hook stop --client claude-code --wait 0s',
    'countersign hook stop --client claude-code --wait 0s; logger x',
    'countersign hook stop --client claude-code --wait 0s && notify-send done',
    'countersign hook stop --client claude-code --wait 0s || notify-send failed',
    'countersign hook stop || true && notify-send done',
    'countersign hook stop || true; notify-send done',
    'countersign hook stop || truest',
    'notify-send done || true',
    'notify-send done && countersign hook stop || true',
    'countersign hook stop # mine || true',
    'countersign hook stop "mine || true',
    'countersign hook stop 2>/tmp/log',
    'countersign hook stop 2>/dev/null/../tmp/log',
    'countersign hook stop >/dev/null',
    'countersign hook stop 2>/dev/null | tee log',
    'countersign hook stop 2>/dev/null 3>log',
    'countersign hook stop < input',
    'node app/bin.js hook stop',
    'node /opt/app/main/bin.js hook stop',
    'node /opt/my-countersign/bin.js hook stop',
    'node /opt/countersign/../app/bin.js hook stop',
    'node /opt/countersign/dist/main/other.js hook stop',
    'node /opt/app/mydist/main/bin.js hook stop',
    'node app.js dist/main/bin.js hook stop',
    'node -e countersign hook stop',
    'node --eval countersign hook stop',
    'node --import=./log.js countersign hook stop',
    'node -r ./log.js dist/main/bin.js hook stop',
    'node countersign@0.1.0 hook stop',
    'countersign@0.1.0 hook stop',
    'npx countersign-tools hook stop',
    'npx @acme/countersign@1 hook stop',
    'npx countersign@npm:other hook stop',
    'npx other countersign hook stop',
    'npx -p other countersign hook stop',
    'npx -p countersign other hook stop',
    'npx --package=other countersign hook stop',
    'npx -c "countersign hook stop"',
    'npx -c countersign hook stop',
    'npx countersign@0.1.0 doctor hook stop',
    'npm run countersign hook stop',
    'npm countersign hook stop',
    'pnpm run countersign hook stop',
    'pnpm exec other countersign hook stop',
    'yarn add countersign hook stop',
    'bun countersign hook stop',
    'deno countersign hook stop',
    'env A=b other countersign hook stop',
    'env -S "countersign hook stop"',
    'A=b',
    'A=$(log) countersign hook stop',
    'env A=`log` countersign hook stop',
    'countersign --url http://x',
    'countersign --url http://x state hook stop',
    'countersign --config x hook stop',
    'countersign hook stop --client claude-code --wait 0s | tee log',
    'countersign hook stop --client claude-code --wait 0s > log',
    'countersign hook stop --client claude-code --wait 0s 2>&1',
    'countersign hook stop --client claude-code --wait 0s &',
    'countersign hook stop --client claude-code --wait 0s # mine',
    'countersign hook stop --client claude-code --wait 0s\nnotify-send done',
    'countersign hook session-start --client claude-code\nlogger x',
    '# countersign hook stop --client claude-code',
    '(countersign hook stop --client claude-code)',
    'sh -c "countersign hook stop --client claude-code"',
    'time countersign hook stop --client claude-code',
    'countersign hook stop --client claude-code --session $(whoami)',
    'countersign hook stop --client claude-code --session "$(whoami)"',
    'countersign hook stop --client claude-code --session `whoami`',
    'countersign hook stop --client "claude-code',
    'my-countersign hook stop --client claude-code',
    'countersign hook other --client claude-code',
    'countersign hook toString --client claude-code',
    'countersign state get && countersign hook stop',
    'countersign doctor hook stop',
    'npx countersign notify hook stop',
    'hook stop',
    'countersign hook',
    '',
    7,
    null,
    undefined,
  ])('is none of ours: %j', (command) => {
    expect([isOurs(command), callsHook(command)]).toEqual([false, false]);
  });
});
