// The exact form of arguments that mean the same in every tool, as in the HTTP API. It is not in the list of tools:
// there each pattern would cost its tokens in every conversation.
import { Type, type TObject, type TProperties } from 'typebox';
import * as api from '../ports/api/index.js';

const { prompt, project_dir } = api.RunCreate.properties;
const { contract, write_scope } = api.CompletionOptions.properties;

const FORMS: TProperties = {
  state_id: api.Name,
  session: api.Name,
  parent: api.Name,
  session_name: api.Name,
  root_session_name: api.Name,
  agent_name: api.Name,
  schema_name: api.SchemaName,
  key: api.Key,
  prompt,
  project_dir,
  contract,
  write_scope,
};

/** The forms of those arguments of a tool that have one; each may be absent. */
export function formsOf({ properties }: TObject): TObject {
  const forms = Object.entries(FORMS).filter(([name]) => Object.hasOwn(properties, name));
  return Type.Object(Object.fromEntries(forms.map(([name, form]) => [name, Type.Optional(form)])));
}
