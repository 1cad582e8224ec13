// What the schema of a state says of the selected location of its document.
import { useQuery } from '@tanstack/react-query';
import type { JsonObject, JsonValue } from '../../../client/index.js';
import { Fragment, type ReactNode } from 'react';
import { schema } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Panel, Unread } from '../../parts/basics.js';
import { Facts, Json, Reveal } from '../../parts/facts.js';
import { Names } from '../../parts/text/texts.js';
import { isContainer, isList, type Pointer } from './document.js';
import { schemaAt } from './schema-location.js';

interface SchemaProps {
  readonly name: string;
  readonly version: number;
  readonly location: Pointer;
}

export default function Schema({ name, version, location }: SchemaProps) {
  const read = useQuery(schema(useClient(), name, version));
  return (
    <Panel title="Schema">
      {!read.isSuccess && <Unread read={read} what="the schema" />}
      {read.isSuccess && <SchemaAt schema={read.data.json_schema} location={location} />}
    </Panel>
  );
}

function SchemaAt({ schema: whole, location }: { readonly schema: JsonObject; readonly location: Pointer }) {
  const parts = schemaAt(whole, location);
  const [first] = parts;
  return (
    <>
      <p>
        <code>{location === '' ? '(whole document)' : location}</code>
      </p>
      {first === undefined ? (
        <p className="faint">The schema says nothing of this place.</p>
      ) : (
        <>
          {textsOf(parts, 'title').map((title) => (
            <p key={title}>
              <strong dir="auto">{title}</strong>
            </p>
          ))}
          {textsOf(parts, 'description').map((description) => (
            <p key={description} dir="auto">
              {description}
            </p>
          ))}
          <Facts
            of={{
              Type: said(parts, 'type'),
              'One of': said(parts, 'enum'),
              Always: said(parts, 'const'),
              Required: said(parts, 'required'),
              Default: said(parts, 'default'),
            }}
          />
          <Reveal name="Text">
            <Json label="Text of the schema at this place" value={parts.length === 1 ? first : parts} />
          </Reveal>
        </>
      )}
    </>
  );
}

function textsOf(parts: readonly JsonObject[], name: string): readonly string[] {
  return [...new Set(parts.map((part) => part[name]).filter((text) => typeof text === 'string'))];
}

/** What the parts say under a keyword; `null` where none says anything. */
function said(parts: readonly JsonObject[], keyword: string): ReactNode {
  const values = parts.map((part) => part[keyword]).filter((value) => value !== undefined);
  const different = new Map(values.map((value) => [JSON.stringify(value), value] as const));
  if (different.size === 0) return null;
  return [...different].map(([text, value], i) => (
    <Fragment key={text}>
      {i > 0 && '; '}
      <Names of={isContainer(value) && isList(value) ? value.map(inWords) : [inWords(value)]} />
    </Fragment>
  ));
}

function inWords(value: JsonValue): string {
  if (isContainer(value) && isList(value)) return value.map(inWords).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
