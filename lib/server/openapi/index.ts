import { z } from 'zod';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode } from '@/lib/shared/problem';
import { cookieTable } from '@/lib/shared/cookie-table';
import type { Route } from '../http/api-route';
import { LIMITS } from '../rate-limits/table';
import { responseSchemas } from './response-schemas';
import { TAGS, operationDocs } from './docs';
import type { OperationDocs } from './docs/types';

type RouteFacts = Route['route'];
/** A handler exported by a file of pages/api; one not built with `apiRoute` has no facts. */
export type Handlers = Record<string, Partial<Route>>;

/** Errors of any session when it is checked. */
const SESSION_PROBLEMS = ['session-required', 'token-invalid', 'token-expired', 'token-revoked', 'user-deleted', 'user-disabled', 'provider-unavailable'] as const; // prettier-ignore
const ADMIN_PROBLEMS = ['admin-token-required', 'admin-token-wrong'] as const;

/**
 * Generates the OpenAPI 3.1 document from the routes' own validation, and from `operationDocs` for the rest.
 * @param handlers by path, as in `operationDocs`
 * @throws Error for a route without docs, or docs without a route
 */
export function describeApi(handlers: Handlers, version: string) {
  const withoutHandler = Object.keys(operationDocs).filter((path) => !handlers[path]);
  if (withoutHandler.length > 0) throw new Error(`Documented, but without a handler: ${withoutHandler.join(', ')}`);
  const paths = Object.entries(handlers).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Learner identity',
      version,
      description:
        'Sessions and accounts of learners. Every failure is `application/problem+json` (RFC 9457) with a stable `code`, an unknown route (`not-found`) included. Every response has `x-request-id`, except for a URL that cannot be parsed (400) or ends in a slash (308).',
    },
    servers: [{ url: 'https://{host}', variables: { host: { default: 'id.campus.example' } } }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths.map(([path, handler]) => [path, describeRoute(path, handler.route)])),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieTable.session.name },
        admin: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Problem: problemSchema(), ...mapResponses(describeSchema) },
      responses: { ...mapResponses(describeResponse), ...describeProblems(handlers) },
      headers: { RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } },
    },
  };
}

function describeRoute(path: string, facts: RouteFacts | undefined) {
  const about = getDocs(path);
  const remarks = [about.description, about.cookies, facts && describeAudience(facts), facts && describeLimit(facts)];
  const operation = {
    operationId: about.id,
    tags: [about.tag],
    summary: about.summary,
    description: remarks.filter(Boolean).join(' '),
    ...describeParameters(path),
    ...(about.proof && { security: [{ [about.proof]: [] }] }),
    ...describeRequest(about, facts),
    responses: { ...describeSuccess(about.response), ...referToProblems(about, facts) },
  };
  return { [(facts?.method ?? 'GET').toLowerCase()]: operation };
}

function getDocs(path: string) {
  const about = operationDocs[path];
  if (!about) throw new Error(`No words for ${path}`);
  return about;
}

function describeAudience({ audience = 'platform', stateChanging }: RouteFacts): string {
  const readers = {
    platform: "Origins of the platform may call it with the learner's cookies.",
    public: 'Any origin may read it.',
    own: stateChanging ? 'For pages of this app alone.' : 'No other origin may read it in a browser.',
  };
  return readers[audience];
}

function describeLimit({ limit }: RouteFacts): string {
  return limit ? `At most ${LIMITS[limit].points} calls in ${LIMITS[limit].seconds} s from one client address.` : '';
}

function describeParameters(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  return parameters.length > 0 ? { parameters } : {};
}

function describeRequest({ takes }: OperationDocs, facts: RouteFacts | undefined) {
  if (facts?.body) {
    const required = !z.safeParse(facts.body, undefined).success;
    return { requestBody: { required, content: { 'application/json': { schema: toSchema(facts.body, 'input') } } } };
  }
  return takes ? { requestBody: { required: true, content: Object.fromEntries(takes.map((type) => [type, {}])) } } : {};
}

function describeSuccess(response: OperationDocs['response']) {
  if (response === 'anything')
    return { default: { description: 'The response of the helper', content: { '*/*': {} } } };
  if (response === 'text') return { 200: { description: 'Done', content: { 'text/plain': { schema: { type: 'string' } } } } }; // prettier-ignore
  return { 200: referTo('responses', toComponentName(response)) };
}

type ResponseName = keyof typeof responseSchemas;

function mapResponses(describe: (name: ResponseName) => object) {
  const names = Object.keys(responseSchemas) as ResponseName[];
  return Object.fromEntries(names.map((name) => [toComponentName(name), describe(name)]));
}

const describeSchema = (name: ResponseName) => toSchema(responseSchemas[name], 'output');

function describeResponse(name: ResponseName) {
  const schema = referTo('schemas', toComponentName(name));
  return { description: 'Done', content: { 'application/json': { schema } } };
}

/** The problem codes of a call, grouped by status. */
function getProblems({ problems = [], proof }: OperationDocs, facts: RouteFacts | undefined) {
  const codes = new Set<ProblemCode>(['method-not-allowed', 'body-too-large', 'internal-error', ...problems]);
  const add = (...more: readonly ProblemCode[]) => more.forEach((code) => codes.add(code));
  if (facts?.body) add('bad-request', 'unsupported-media-type');
  // Calls that change nothing refuse only preflights.
  if (facts) add('foreign-origin');
  if (facts?.limit) add('too-many-requests');
  if (proof === 'session') add(...SESSION_PROBLEMS);
  if (proof === 'admin') add(...ADMIN_PROBLEMS);
  const statuses = [...new Set([...codes].map((code) => PROBLEMS[code]))];
  return statuses.map((status) => ({ status, codes: [...codes].filter((code) => PROBLEMS[code] === status).sort() }));
}

function referToProblems(about: OperationDocs, facts: RouteFacts | undefined) {
  const groups = getProblems(about, facts);
  return Object.fromEntries(groups.map(({ status, codes }) => [status, referTo('responses', toComponentName(...codes))])); // prettier-ignore
}

/** Every group of problem codes that a call can return, as a response: calls with the same group share it. */
function describeProblems(handlers: Handlers) {
  const groups = Object.entries(handlers).flatMap(([path, { route }]) => getProblems(getDocs(path), route));
  const responses = groups.map(({ status, codes }) => [toComponentName(...codes), describeProblem(status, codes)] as const); // prettier-ignore
  return Object.fromEntries(responses.sort(([a], [b]) => a.localeCompare(b, 'en')));
}

function describeProblem(status: number, codes: ProblemCode[]) {
  const mayWait = status === 429 || status === 503;
  const own = { properties: { code: { enum: codes }, status: { const: status } } };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(mayWait && { headers: { 'Retry-After': referTo('headers', 'RetryAfter') } }),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: { allOf: [referTo('schemas', 'Problem'), own] } } },
  };
}

const referTo = (kind: 'schemas' | 'responses' | 'headers', name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** `code-expired`, `code-used` → `CodeExpiredOrCodeUsed` */
function toComponentName(...names: string[]): string {
  const pascal = (name: string) => name.replaceAll(/(?:^|[-_])(\w)/g, (_, first: string) => first.toUpperCase());
  return names.map(pascal).join('Or');
}

/** Problem details (RFC 9457, section 3.1) with our `code` and, for one-time codes, `triesLeft`. */
function problemSchema() {
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'code'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', pattern: '^urn:problem:' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { enum: Object.keys(PROBLEMS).sort() },
      detail: { type: 'string' },
      triesLeft: { type: 'integer', minimum: 0 },
    },
  };
}

function toSchema(schema: z.core.$ZodType, io: 'input' | 'output') {
  // The document itself declares the JSON Schema dialect.
  return { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), $schema: undefined };
}
