// What a session wrote into the state of its tree, and where that state is now.
import { useQuery } from '@tanstack/react-query';
import { SEARCHED_VERSIONS, SESSION_WRITES, sessionWrites } from '../../api/history-queries.js';
import { keys, state } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Unread } from '../../parts/basics.js';
import { StateLink } from '../../parts/text/links.js';
import { quoted } from '../../parts/text/quoted.js';
import { nameInShort, valueInShort } from '../../parts/value.js';
import { ChangedLocations } from '../state/changed-locations.js';

const KEYS_MAX = 20;

interface OfState {
  readonly stateId: string;
}

export function SessionWrites({ stateId, session }: OfState & { readonly session: string }) {
  const client = useClient();
  const version = useQuery(state(client, stateId)).data?.version;
  const read = useQuery({
    ...sessionWrites(client, stateId, session, version ?? 0),
    enabled: version !== undefined,
  });
  if (!read.isSuccess) return <Unread read={read} what="its writes" />;
  const events = read.data.toReversed();
  if (events.length === 0) return <p className="faint">It has written nothing lately.</p>;
  const isPart = events.length > SESSION_WRITES || (version ?? 0) > SEARCHED_VERSIONS;
  return (
    <>
      <ol className="entries">
        {events.slice(0, SESSION_WRITES).map((event) => (
          <li key={event.event_id}>
            <StateLink id={stateId} at={event.version}>
              Version {event.version}
            </StateLink>{' '}
            <span className="faint">
              <Ago at={event.created_at} />
              {event.late ? ', late' : ''}
            </span>
            <ChangedLocations of={event} />
          </li>
        ))}
      </ol>
      {isPart && (
        <p className="faint">
          These are the newest. All of them:{' '}
          <code>
            countersign state log {stateId} --session {quoted(session)}
          </code>
        </p>
      )}
    </>
  );
}

export function TreeState({ stateId, root }: OfState & { readonly root: string }) {
  const read = useQuery(keys(useClient(), root));
  if (!read.isSuccess) return <Unread read={read} what="the state" />;
  const entries = Object.entries(read.data.keys);
  return (
    <>
      <p>
        <StateLink id={stateId}>Version {read.data.global_version}</StateLink>
      </p>
      <dl className="details">
        {entries.slice(0, KEYS_MAX).map(([key, { value }]) => (
          <div key={key} className="pair">
            <dt>
              <bdi>{nameInShort(key)}</bdi>
            </dt>
            <dd>
              <code>
                <bdi>{valueInShort(value)}</bdi>
              </code>
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > KEYS_MAX && (
        <p className="faint">{entries.length - KEYS_MAX} more keys in the state.</p>
      )}
    </>
  );
}
