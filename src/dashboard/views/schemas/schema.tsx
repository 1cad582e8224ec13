// One schema: its versions, the text of one of them, and two of them compared.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { schema, schemaVersions } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Copy, Faint, Panel } from '../../parts/basics.js';
import { Difference } from '../../parts/difference.js';
import { Facts, Json } from '../../parts/facts.js';
import { Listing } from '../../parts/listing.js';
import { quoted } from '../../parts/text/quoted.js';
import { Playground } from './playground.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

/** The part of the address after the `?`. */
export interface SchemaSearch {
  /** The version to show; the newest by default. */
  readonly version?: number | undefined;
  /** The version to compare it with. */
  readonly from?: number | undefined;
  /** The page of the list of versions. */
  readonly cursor?: string | undefined;
}

export default function OneSchemaView({
  name,
  version,
  from,
  cursor,
}: SchemaSearch & { readonly name: string }) {
  const shown = useQuery(schema(useClient(), name, version));
  if (!shown.isSuccess) return <UnreadView read={shown} name={name} kind="schema" />;
  const one = shown.data;
  const url = new URL(`/workflow-schemas/${name}?version=${String(one.version)}`, location.origin).href;
  const command = `countersign schema show ${quoted(name)} --version ${String(one.version)}`;
  return (
    <>
      <Heading name={name} kind="schema" />
      <div className="columns">
        <Panel
          title={`Version ${String(one.version)}`}
          aside={
            <span className="row">
              <Copy text={JSON.stringify(one.json_schema, null, 2)}>Copy schema</Copy>
              <Copy text={`curl ${quoted(url)}`}>Copy curl</Copy>
              <Copy text={`${command} --url ${quoted(location.origin)}`}>Copy command</Copy>
            </span>
          }
        >
          <Facts
            of={{
              Description: one.description,
              Compatibility: one.compatibility.replaceAll('_', ' '),
              Registered: <Ago at={one.created_at} />,
              States: (
                <Link to="/ui/states" search={{ schema: name }}>
                  States with this schema
                </Link>
              ),
            }}
          />
          <Json label={`Text of version ${String(one.version)}`} tall value={one.json_schema} />
        </Panel>
        <div>
          <Panel title="Versions">
            <Versions name={name} version={one.version} from={from} cursor={cursor} />
          </Panel>
          <Playground name={name} version={one.version} />
        </div>
      </div>
      {from !== undefined && <Compared name={name} from={from} to={one.version} />}
    </>
  );
}

function Versions({
  name,
  version,
  from,
  cursor,
}: SchemaSearch & { readonly name: string; readonly version: number }) {
  const read = useQuery(schemaVersions(useClient(), name, cursor));
  return (
    <Listing
      what="versions"
      read={read}
      cursor={cursor}
      empty="There is no version."
      keyOf={(one) => one.version}
      columns={[
        [
          'Version',
          (one) => (
            <Link
              to="/ui/schemas/$name"
              params={{ name }}
              search={{ version: one.version, from, cursor }}
              aria-current={one.version === version ? 'true' : undefined}
              activeProps={{}}
              activeOptions={{ exact: true }}
            >
              Version {one.version}
            </Link>
          ),
        ],
        ['Registered', (one) => <Ago at={one.created_at} />],
        [
          'Compare',
          (one) =>
            one.version === version ? (
              <Faint>shown</Faint>
            ) : (
              <Link
                to="/ui/schemas/$name"
                params={{ name }}
                search={{ version, from: one.version === from ? undefined : one.version, cursor }}
                activeProps={{}}
                activeOptions={{ exact: true }}
              >
                {one.version === from ? 'End comparison' : `Compare with ${String(one.version)}`}
              </Link>
            ),
        ],
      ]}
    />
  );
}

function Compared({ name, from, to }: { readonly name: string; readonly from: number; readonly to: number }) {
  const client = useClient();
  const old = useQuery(schema(client, name, from));
  const now = useQuery(schema(client, name, to));
  return (
    <Difference
      title={`Version ${String(from)} compared with ${String(to)}`}
      before={old.data?.json_schema}
      after={now.data?.json_schema}
      error={old.error ?? now.error}
      command={`countersign schema diff ${quoted(name)} --from ${String(from)} --to ${String(to)}`}
    />
  );
}
