import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { openApiDocument } from '../../src/http/api/openapi.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';

const described = closed(toJson(openApiDocument({ mounts: [], hasWeb: true, hasAuthorization: true })));
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(
  described,
  'api',
);

/**
 * Expects of an answer that `/openapi.json` describes it: its route, its status, and its JSON with no field more. Call it
 * with the response before its body is read.
 */
export async function expectDescribed(method: string, response: Response): Promise<void> {
  const { pathname } = new URL(response.url);
  const paths = isJsonObject(described.paths) ? described.paths : {};
  const path = Object.keys(paths).find((it) => toPattern(it).test(pathname));
  expect(path, `${pathname} is described`).toBeDefined();
  const route = ['paths', path ?? '', method.toLowerCase(), 'responses', String(response.status)];
  expect(ajv.getSchema(pointer(route)), `${method} ${pathname} can answer ${response.status}`).toBeDefined();
  const validate = ajv.getSchema(pointer([...route, 'content', 'application/json', 'schema']));
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson || !validate) return;
  if (validate(await response.clone().json())) return;
  expect.fail(`${method} ${pathname} ${response.status}: ${ajv.errorsText(validate.errors)}`);
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function pointer(steps: readonly string[]): string {
  const escaped = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `api#/${escaped.join('/')}`;
}

function toJson(value: object): JsonObject {
  const json: Json = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(json)) throw new TypeError('the description is an object');
  return json;
}

/** The same schemas, which allow only the fields that they name: readers must know all there are. */
function closed(document: JsonObject): JsonObject {
  const close = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(close);
    if (!isJsonObject(value)) return value;
    const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, close(part)]));
    const isObject = value.type === 'object' && isJsonObject(value.properties);
    return isObject ? { additionalProperties: false, ...inner } : inner;
  };
  return Object.fromEntries(Object.entries(document).map(([name, part]) => [name, close(part)]));
}
