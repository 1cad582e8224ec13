// A document to try against a version of a schema: the service validates it, and nothing is written.
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { JsonValue } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Failed, Panel, Status } from '../../parts/basics.js';
import { Violations } from '../../parts/violations.js';

interface PlaygroundProps {
  readonly name: string;
  readonly version: number;
}

export function Playground({ name, version }: PlaygroundProps) {
  const { schemas } = useClient();
  const hint = useId();
  const [text, setText] = useState('{}');
  const check = useMutation({
    mutationFn: (document: string) => schemas.validate(name, parsed(document), version),
  });
  return (
    <Panel title="Try a document">
      <form
        className="playground"
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate(text);
        }}
      >
        <label>
          Document (JSON)
          <textarea
            rows={10}
            spellCheck={false}
            dir="auto"
            value={text}
            aria-describedby={hint}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <p className="faint" id={hint}>
          It is validated against version {version}, as the first document of a state. Nothing is written.
        </p>
        <button type="submit" className="strong" disabled={check.isPending}>
          Validate
        </button>
      </form>
      <div role="status">
        {check.isError && <Failed error={check.error} />}
        {check.data?.valid === true && (
          <p>
            <Status value="satisfied" label={`valid under version ${String(check.data.schema_version)}`} />
          </p>
        )}
        {check.data?.valid === false && (
          <>
            <p>
              <Status value="failed" label={`not valid, errors: ${String(check.data.errors.length)}`} />
            </p>
            <Violations of={check.data.errors} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** @throws Error With the position, where it is not JSON. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
