// The list of schemas, each with its newest version.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { schemas } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago } from '../../parts/basics.js';
import { Listing } from '../../parts/listing.js';
import { Heading } from '../../parts/heading.js';

export default function SchemasView({ cursor }: { readonly cursor: string | undefined }) {
  const read = useQuery(schemas(useClient(), cursor));
  return (
    <>
      <Heading name="Schemas" />
      <Listing
        what="schemas"
        read={read}
        cursor={cursor}
        empty={
          <>
            There is no schema yet. Register one with <code>countersign schema register</code>.
          </>
        }
        keyOf={(one) => one.schema_id}
        columns={[
          [
            'Name',
            ({ name }) => (
              <Link to="/ui/schemas/$name" params={{ name }} search={{}}>
                {name}
              </Link>
            ),
          ],
          ['Newest version', (one) => one.version],
          ['Compatibility', (one) => one.compatibility.replaceAll('_', ' ')],
          ['Description', (one) => one.description, 'prose'],
          ['Registered', (one) => <Ago at={one.created_at} />],
          [
            'States',
            ({ name }) => (
              <Link to="/ui/states" search={{ schema: name }}>
                states
              </Link>
            ),
          ],
        ]}
      />
    </>
  );
}
