// The plugin that connects opencode. opencode calls plugins instead of hook commands, so the plugin runs the hook
// commands of the other clients.
import type { Connection } from '../settings/client-settings.js';
import { SettingsError } from '../settings/settings-error.js';
import type { SettingsFile } from '../settings/settings-file.js';

const MARK = '// countersign wrote this file; countersign disconnect opencode removes it.';

type PluginSettings = Pick<Connection, 'gate' | 'waitMs' | 'url'>;

export function pluginFile(file: string, settings: PluginSettings): SettingsFile {
  return {
    file,
    empty: '',
    meaning: (text) => text,
    add: (text, kinds) => {
      if (!kinds.has('hooks')) return text;
      if (text !== '' && !text.startsWith(MARK)) {
        throw new SettingsError(
          'The plugin countersign.js is not one that countersign wrote. Move it away first',
        );
      }
      return pluginText(settings);
    },
    remove: (text, kinds) => (kinds.has('hooks') && text.startsWith(MARK) ? '' : text),
    restore: (text) => text,
  };
}

function pluginText({ gate, waitMs, url }: PluginSettings): string {
  const settings = {
    url: url === undefined ? [] : ['--url', url],
    wait: ['--wait', `${String(Math.ceil(waitMs / 1000))}s`],
    waits: waitMs > 0,
  };
  return `${MARK}\n${PLUGIN.replace('/*SETTINGS*/', JSON.stringify(settings))
    .replace('/*GATE*/', gate ? GATE : '')
    .trimStart()}`;
}

const GATE = `
    async 'tool.execute.before'({ tool, sessionID }, { args }) {
      const root = await rootOf(sessionID);
      await begin(root);
      const input = { session_id: root, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: args };
      const answer = await ask('pre-tool-use', input, tell).promise;
      if (answer?.decision !== 'allow') throw new Error(answer?.reason ?? 'Countersign did not answer.');
    },`;

const PLUGIN = `
import { spawn, spawnSync } from 'node:child_process';

const SETTINGS = /*SETTINGS*/;
const argsOf = (hook, more = []) => ['hook', hook, '--client', 'opencode', ...SETTINGS.url, ...more];

/** Runs a hook. Resolves to the answer; null if there is none, after reporting why. */
function ask(hook, input, tell, more) {
  const child = spawn('countersign', argsOf(hook, more));
  let stopped = false;
  const promise = new Promise((resolve) => {
    let [text, trouble] = ['', ''];
    const none = (why) => {
      if (!stopped) tell(why);
      resolve(null);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk) => (trouble += chunk));
    child.on('error', (error) => none(String(error)));
    child.on('close', () => {
      try {
        const answer = JSON.parse(text);
        if (answer.systemMessage) tell(answer.systemMessage);
        resolve(answer);
      } catch {
        none(trouble);
      }
    });
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(input));
  const stop = () => {
    stopped = true;
    child.kill();
  };
  return { promise, stop };
}

/** What all instances of this plugin end with the process. */
function endings() {
  const key = Symbol.for('countersign.endings');
  if (globalThis[key] !== undefined) return globalThis[key];
  const all = (globalThis[key] = new Set());
  const endAll = () => {
    for (const end of all) end();
    all.clear();
  };
  process.once('exit', endAll);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
    const onSignal = () => {
      // Whoever else listens decides whether the process ends.
      if (process.listenerCount(signal) > 1) return;
      endAll();
      process.removeListener(signal, onSignal);
      process.kill(process.pid, signal);
    };
    process.on(signal, onSignal);
  }
  return all;
}

export const Countersign = async ({ client, directory }) => {
  // A runner sees to its sessions itself.
  if (process.env.COUNTERSIGN_RUN_ID) return {};
  const roots = new Map();
  const begun = new Map();
  const stops = new Map();
  const goesOn = new Map();
  const tell = (message) => {
    client.tui.showToast({ body: { title: 'Countersign', message, variant: 'warning' } }).catch(() => {});
    client.app.log({ body: { service: 'countersign', level: 'warn', message } }).catch(() => {});
  };

  /** Sub-agents are sessions of opencode below the one that they work for. */
  function rootOf(id) {
    if (!roots.has(id)) {
      const found = client.session.get({ path: { id } }).then(
        ({ data }) => (data?.parentID ? rootOf(data.parentID) : id),
        () => id,
      );
      roots.set(id, found);
    }
    return roots.get(id);
  }

  function begin(id) {
    if (!begun.has(id)) {
      const input = { session_id: id, hook_event_name: 'SessionStart', cwd: directory };
      const answer = ask('session-start', input, tell).promise;
      begun.set(id, answer);
      // Nobody answered: it is asked again with the next event.
      answer.then((one) => one?.context ?? begun.delete(id));
    }
    return begun.get(id);
  }

  async function lastText(id) {
    const { data } = await client.session.messages({ path: { id } });
    const last = data?.findLast(({ info }) => info.role === 'assistant');
    const texts = last?.parts.filter(({ type }) => type === 'text').map(({ text }) => text) ?? [];
    return texts.join('\\n');
  }

  async function stopped(id) {
    await begin(id);
    const input = {
      session_id: id,
      hook_event_name: 'Stop',
      stop_hook_active: goesOn.has(id),
      last_assistant_message: await lastText(id),
    };
    const asked = ask('stop', input, tell, SETTINGS.wait);
    stops.set(id, asked);
    if (SETTINGS.waits) ask('awaited', { session_id: id, hook_event_name: 'Stop' }, tell);
    const answer = await asked.promise;
    if (stops.get(id) !== asked) return;
    stops.delete(id);
    if (answer?.decision !== 'block') {
      goesOn.delete(id);
      return;
    }
    goesOn.set(id, answer.reason);
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: answer.reason }] } });
  }

  const end = () => {
    for (const id of begun.keys()) {
      const input = JSON.stringify({ session_id: id, hook_event_name: 'SessionEnd' });
      spawnSync('countersign', argsOf('session-end'), { input, timeout: 5000, stdio: ['pipe', 'ignore', 'ignore'] });
    }
    begun.clear();
  };
  endings().add(end);

  return {
    async dispose() {
      endings().delete(end);
      end();
    },
    async event({ event }) {
      if (event.type !== 'session.idle') return;
      const id = event.properties.sessionID;
      if ((await rootOf(id)) === id) await stopped(id);
    },
    async 'chat.message'({ sessionID }, { parts }) {
      if ((await rootOf(sessionID)) !== sessionID) return;
      // A new user message ends the wait for callbacks: they are handed over at the next stop.
      stops.get(sessionID)?.stop();
      stops.delete(sessionID);
      if (!parts.some(({ text }) => text !== undefined && text === goesOn.get(sessionID))) goesOn.delete(sessionID);
      await begin(sessionID);
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID === undefined || (await rootOf(sessionID)) !== sessionID) return;
      const answer = await begin(sessionID);
      if (answer?.context) system.push(answer.context);
    },
    async 'shell.env'({ sessionID }, { env }) {
      if (sessionID === undefined) return;
      const answer = await begin(await rootOf(sessionID));
      Object.assign(env, answer?.environment ?? {});
    },/*GATE*/
  };
};
`;
