// What a schema refuses, place by place.
import type { Violation } from '../../client/index.js';
import { Table } from './basics.js';

export function Violations({ of }: { readonly of: readonly Violation[] }) {
  return (
    <Table label="Errors" head={['Place', 'Rule', 'What is wrong', 'Expected']}>
      {of.map((one, i) => (
        <tr key={i}>
          <td>
            <code>{one.pointer === '' ? '(whole value)' : one.pointer}</code>
          </td>
          <td>{one.keyword}</td>
          <td className="prose">{one.message}</td>
          <td>
            <code>{JSON.stringify(one.expected)}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}
