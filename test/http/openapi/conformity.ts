// Holds requests and answers against the OpenAPI document: what a status, a header or a body may be.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument, ROUTES } from '../../../src/http/index.js';

export const document: any = openApiDocument(ROUTES, '1.2.3');

/** What a reference leads to. */
export function resolved(value: any): any {
  if (value?.$ref === undefined) return value;
  const names: string[] = value.$ref.slice(2).split('/');
  return names.reduce((at, name) => at?.[name], document);
}

export interface Operation {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly spec: any;
}

export const OPERATIONS: readonly Operation[] = Object.entries<any>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<any>(methods).map(([method, spec]) => ({
      id: String(spec.operationId),
      path,
      method: method.toUpperCase(),
      spec,
    })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, code: { optimize: false } });
formats.default(ajv);
ajv.addSchema(document, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/** Everything that is wrong with a value, by a schema of the document; none where all is well. */
export function faultsOf(schema: any, value: unknown): readonly string[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  let check = compiled.get(text);
  if (check === undefined) {
    check = ajv.compile(JSON.parse(text));
    compiled.set(text, check);
  }
  if (check(value)) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${String(message)}`);
}

/** Headers of the connection and of its framing, which no interface declares. */
const OF_TRANSPORT = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'trailer',
]);

/** Refused before it is known which operation is asked for. */
const BEFORE_ANY = new Set([408, 417, 431, 501]);

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` where the answer has no body. */
  readonly text: string | undefined;
}

/** What the document does not say of an answer: its status, its content type, its body, its headers. */
export function undeclared({ spec }: Operation, { status, headers, text }: Answered): readonly string[] {
  const early = BEFORE_ANY.has(status) ? spec.responses.default : undefined;
  const answer = resolved(spec.responses[String(status)] ?? early);
  if (answer === undefined) return [`the status ${String(status)} is not declared: ${text ?? ''}`];
  const declared = new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()));
  const faults = [...headers.keys()]
    .filter((name) => !OF_TRANSPORT.has(name) && !declared.has(name))
    .map((name) => `${String(status)}: the header ${name} is not declared`);
  const type = headers.get('content-type')?.split(';')[0]?.trim();
  if (text === undefined || text === '') {
    if (answer.content !== undefined) faults.push(`${String(status)}: a body is missing`);
    return faults;
  }
  const media = answer.content?.[type ?? ''];
  if (media === undefined) return [...faults, `${String(status)}: ${String(type)} is not declared`];
  const value: unknown = type?.endsWith('json') === true ? JSON.parse(text) : text;
  return [...faults, ...faultsOf(media.schema, value).map((fault) => `${String(status)}: ${fault}: ${text}`)];
}
