import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

type Content = Record<string, { schema?: object }>;
type Answer = { headers?: object; content: Content };
type Operation = { responses: Record<string, Answer | { $ref: string } | undefined> };
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
};
export type SeenAnswer = {
  method: string;
  path: string;
  status: number;
  type: string;
  /** Names, in lower case. */
  headers: string[];
  body: string;
};

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
// The document also contains OpenAPI keywords that JSON Schema does not define.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
// Another test validates the document once. Doing it here would take a fifth of each test file's startup.
ajv.addSchema(description, 'api', undefined, false);

/**
 * Validates a response against docs/openapi.json.
 * @param path the path as in the description
 * @returns the error, or null if the response is valid
 */
export function complaintAbout({ method, path, status, type, headers, body }: SeenAnswer): string | null {
  const operations = description.paths[path];
  if (!operations) return 'the call is not described';
  if (method === 'OPTIONS' && status === 204) return null;
  // Other methods are not described. Their responses match the responses of the described method.
  const [name, operation] = Object.entries(operations)[0] ?? [];
  const key = operation?.responses[status] ? String(status) : 'default';
  const response = operation?.responses[key];
  if (!response) return `status ${status} is not described`;
  const place =
    '$ref' in response ? response.$ref : `#/${['paths', path, name, 'responses', key].map(pointer).join('/')}`;
  const answer =
    '$ref' in response ? description.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
  if (!answer) return `${place} is not there`;
  const missing = Object.keys(answer.headers ?? {}).find((name) => !headers.includes(name.toLowerCase()));
  if (missing !== undefined) return `${missing} is missing`;
  const media = Object.keys(answer.content).find((each) => each === '*/*' || each === type.split(';')[0]);
  if (media === undefined) return `${type} is not described`;
  if (!media.endsWith('json') || method === 'HEAD') return null;
  const fits = ajv.getSchema(`api${place}/content/${pointer(media)}/schema`);
  if (!fits) return `${place} has no schema`;
  return fits(JSON.parse(body)) ? null : `${ajv.errorsText(fits.errors)}: ${body.slice(0, 300)}`;
}

/** Encodes a segment of a JSON pointer in a URL (RFC 6901, section 6). */
function pointer(part: string | undefined): string {
  return encodeURIComponent((part ?? '').replaceAll('~', '~0').replaceAll('/', '~1'));
}
