// Examples of the operations on streams. Recorded: see index.ts.
import type { Examples } from './example.js';

export const STREAMS: Examples = {
  streamState: {
    path: { id: 'wfstate_example' },
    query: { since: 2 },
    status: 200,
    answer:
      'retry: 1000\n\nid: 2\nevent: bookmark\ndata: {}\n\nid: 3\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":3,"patch":[{"op":"replace","path":"/phase","value":"review"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 4\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":4,"patch":[{"op":"add","path":"/tasks/-","value":"write"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 5\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":5,"patch":[{"op":"remove","path":"/tasks/1"},{"op":"replace","path":"/phase","value":"plan"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 6\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":6,"patch":[],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\n',
  },
  stream: {
    query: { root_session: 'ses_example', since: '0-0' },
    status: 200,
    answer:
      'retry: 1000\n\nid: 0-0\nevent: bookmark\ndata: {}\n\nid: 0-1\nevent: session_updated\ndata: {"session_id":"ses_example","session_name":"release","parent_session_id":null,"root_session_id":"ses_example","status":"pending","generation":1,"deleted":false,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 1-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":1,"patch":[{"op":"add","path":"","value":{"phase":"plan","tasks":[]}}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 2-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":2,"patch":[{"op":"add","path":"/tasks/0","value":"read"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 3-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":3,"patch":[{"op":"replace","path":"/phase","value":"review"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 4-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":4,"patch":[{"op":"add","path":"/tasks/-","value":"write"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 5-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":5,"patch":[{"op":"remove","path":"/tasks/1"},{"op":"replace","path":"/phase","value":"plan"}],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\nid: 6-1\nevent: workflow_state_updated\ndata: {"state_id":"wfstate_example","version":6,"patch":[],"updated_by_session":null,"timestamp":"2026-01-01T12:00:00.000Z"}\n\n',
  },
};
