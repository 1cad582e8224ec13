// The list of schemas, each with its newest version.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { schemas } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago } from '../../parts/basics.js';
import { Listing } from '../../parts/listing.js';
import { Heading } from '../../parts/heading.js';

export function SchemasView({ cursor }: { readonly cursor: string | undefined }) {
  const read = useQuery(schemas(useClient(), cursor));
  return (
    <>
      <Heading name="Schemas" />
      <Listing
        what="schemas"
        read={read}
        head={['Name', 'Newest version', 'Compatibility', 'Description', 'Registered', 'States']}
        cursor={cursor}
        empty={
          <>
            There is no schema yet. Register one with <code>countersign schema register</code>.
          </>
        }
        row={(one) => (
          <tr key={one.schema_id}>
            <td>
              <Link to="/ui/schemas/$name" params={{ name: one.name }} search={{}}>
                {one.name}
              </Link>
            </td>
            <td>{one.version}</td>
            <td>{one.compatibility.replaceAll('_', ' ')}</td>
            <td className="prose">{one.description}</td>
            <td>
              <Ago at={one.created_at} />
            </td>
            <td>
              <Link to="/ui/states" search={{ schema: one.name }}>
                states
              </Link>
            </td>
          </tr>
        )}
      />
    </>
  );
}
