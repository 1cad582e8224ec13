// The reference page: the complete OpenAPI document as HTML, without scripts. Every text from the document is
// escaped.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0b62c4; }
@media (prefers-color-scheme: dark) { :root { --link: #7db7ff; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem 1.25rem 4rem; }
a { color: var(--link); } code, pre { font: 0.86em/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; overflow: auto; padding: 0.75rem; max-height: 28rem; }
section.operation { border-top: 1px solid var(--line); padding: 0.5rem 0 1rem; }
h3 { font-size: 1.05rem; margin: 0.75rem 0 0.25rem; overflow-wrap: anywhere; } h4 { margin: 1rem 0 0.25rem; }
.method { border: 1px solid var(--line); border-radius: 4px; margin-right: 0.5rem; padding: 0.05rem 0.4rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; min-width: 60%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; }
nav ul { columns: 18rem; padding-left: 1.1rem; } summary { cursor: pointer; }
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Escapes text and renders `code` between backticks. */
function prose(value: JsonValue | undefined): string {
  return typeof value === 'string' ? escapeHtml(value).replaceAll(/`([^`]*)`/g, '<code>$1</code>') : '';
}

function membersOf(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function memberOf(value: JsonValue | undefined, ...names: readonly string[]): JsonValue | undefined {
  return names.reduce((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Resolves `{$ref: "#/a/b"}` within the document. */
function resolve(document: JsonObject, value: JsonValue): JsonValue | undefined {
  const reference = textOf(memberOf(value, '$ref'));
  return reference === '' ? value : memberOf(document, ...reference.slice(2).split('/'));
}

/** A schema as indented JSON, with component names as links. */
function schemaHtml(schema: JsonValue | undefined): string {
  const json = escapeHtml(JSON.stringify(schema ?? {}, null, 2));
  const linked = json.replaceAll(
    /\{\s*&quot;\$ref&quot;: &quot;#\/components\/schemas\/(\w+)&quot;\s*\}/g,
    '<a href="#schema-$1">$1</a>',
  );
  return `<pre>${linked}</pre>`;
}

function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, list: readonly string[]) =>
    list.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const lines = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${cells('th', head)}</tr></thead><tbody>\n${lines}\n</tbody></table></div>`;
}

function parameterRow(document: JsonObject, parameter: JsonValue): string[] {
  const found = resolve(document, parameter);
  const need = memberOf(found, 'required') === true ? ', required' : '';
  const schema = escapeHtml(JSON.stringify(memberOf(found, 'schema') ?? {}));
  return [
    `<code>${escapeHtml(textOf(memberOf(found, 'name')))}</code>`,
    `${escapeHtml(textOf(memberOf(found, 'in')))}${need}`,
    `<code>${schema}</code>`,
    prose(memberOf(found, 'description')),
  ];
}

function parametersHtml(document: JsonObject, operation: JsonValue): string {
  const parameters = memberOf(operation, 'parameters');
  if (!isJsonArray(parameters) || parameters.length === 0) return '';
  const rows = parameters.map((parameter) => parameterRow(document, parameter));
  return `<h4>Parameters</h4>${tableHtml(['Name', 'In', 'Form', 'Meaning'], rows)}`;
}

function bodyHtml(operation: JsonValue): string {
  const bodies = membersOf(memberOf(operation, 'requestBody', 'content')).map(mediaHtml);
  if (bodies.length === 0) return '';
  const need = memberOf(operation, 'requestBody', 'required') === true ? '' : ' (may be left out)';
  return `<h4>Body${need}</h4>${bodies.join('\n')}`;
}

/** The error codes of a problem response; `null` for other responses. */
function codesOf(document: JsonObject, answer: JsonValue | undefined): readonly string[] | null {
  const schema = memberOf(answer, 'content', 'application/problem+json', 'schema');
  if (schema === undefined) return null;
  const forms = memberOf(schema, 'oneOf');
  return (isJsonArray(forms) ? forms : [schema]).map((form) => {
    const parts = memberOf(resolve(document, form), 'allOf');
    return isJsonArray(parts) ? textOf(memberOf(parts[1], 'properties', 'error', 'const')) : '';
  });
}

/** The schema of a body, and its example if there is one. */
function mediaHtml([type, media]: [string, JsonValue]): string {
  const example = memberOf(media, 'examples', 'example', 'value');
  const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const exampleHtml = example === undefined ? '' : `<p>Example:</p><pre>${escapeHtml(shown)}</pre>`;
  return `<p><code>${escapeHtml(type)}</code></p>${schemaHtml(memberOf(media, 'schema'))}${exampleHtml}`;
}

function answersHtml(document: JsonObject, operation: JsonValue): string {
  const good: string[] = [];
  const errors: string[][] = [];
  for (const [status, reference] of membersOf(memberOf(operation, 'responses'))) {
    const answer = resolve(document, reference);
    const codes = codesOf(document, answer);
    if (codes !== null) {
      const links = codes.map(
        (code) => `<a href="#error-${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a>`,
      );
      errors.push([escapeHtml(status), links.join(' · ')]);
      continue;
    }
    const schemas = membersOf(memberOf(answer, 'content')).map(mediaHtml);
    good.push(
      `<p><strong>${escapeHtml(status)}</strong> ${prose(memberOf(answer, 'description'))}</p>${schemas.join('')}`,
    );
  }
  return `<h4>Answers</h4>${good.join('\n')}<h4>Errors</h4>${tableHtml(['Status', 'Codes'], errors)}`;
}

function operationHtml(document: JsonObject, path: string, method: string, operation: JsonValue): string {
  const id = escapeHtml(textOf(memberOf(operation, 'operationId')));
  return `<section class="operation" id="${id}">
<h3><code class="method">${escapeHtml(method.toUpperCase())}</code><code>${escapeHtml(path)}</code></h3>
<p>${prose(memberOf(operation, 'summary'))}</p>
<p>${prose(memberOf(operation, 'description'))}</p>
<details><summary>Details of <code>${id}</code></summary>
${parametersHtml(document, operation)}
${bodyHtml(operation)}
${answersHtml(document, operation)}
</details></section>`;
}

function errorsHtml(document: JsonObject): string {
  const rows = membersOf(document['x-error-codes']).map(([code, entry]) => {
    const statuses = memberOf(entry, 'statuses');
    return [
      `<code id="error-${escapeHtml(code)}">${escapeHtml(code)}</code>`,
      escapeHtml(isJsonArray(statuses) ? statuses.map((status) => JSON.stringify(status)).join(', ') : ''),
      prose(memberOf(entry, 'title')),
      memberOf(entry, 'retryable') === true ? 'yes' : 'no',
    ];
  });
  return tableHtml(['Code', 'Status', 'Meaning', 'Can the same request succeed later?'], rows);
}

/** @param document - The result of {@link openApiDocument}. */
export function docsPage(document: JsonObject): string {
  const operations = membersOf(document['paths']).flatMap(([path, methods]) =>
    membersOf(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = isJsonArray(document['tags'])
    ? document['tags'].map((tag) => textOf(memberOf(tag, 'name')))
    : [];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => {
      const list = memberOf(operation, 'tags');
      return isJsonArray(list) && list.includes(tag);
    });
    const html = own.map(({ path, method, operation }) => operationHtml(document, path, method, operation));
    return `<h2 id="tag-${escapeHtml(tag)}">${escapeHtml(tag)}</h2>\n${html.join('\n')}`;
  });
  const links = operations.map(({ path, method, operation }) => {
    const id = escapeHtml(textOf(memberOf(operation, 'operationId')));
    return `<li><a href="#${id}"><code>${escapeHtml(method.toUpperCase())} ${escapeHtml(path)}</code></a></li>`;
  });
  const schemas = membersOf(memberOf(document, 'components', 'schemas')).map(
    ([name, schema]) => `<h3 id="schema-${escapeHtml(name)}">${escapeHtml(name)}</h3>${schemaHtml(schema)}`,
  );
  const title = escapeHtml(textOf(memberOf(document, 'info', 'title')));
  const version = escapeHtml(textOf(memberOf(document, 'info', 'version')));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} ${version}: HTTP reference</title><style>${STYLE}</style></head><body>
<h1>${title} ${version}</h1>
<p>${prose(memberOf(document, 'info', 'description'))} The same as a document: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav><ul>${links.join('\n')}</ul></nav>
${sections.join('\n')}
<h2 id="errors">Errors</h2>
<p>A refusal is <code>application/problem+json</code> (RFC 9457) whose <code>error</code> is one of these.</p>
${errorsHtml(document)}
<h2 id="schemas">Named forms</h2>
${schemas.join('\n')}
</body></html>
`;
}
