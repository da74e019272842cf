import { z } from 'zod';
import { challengeSchema, FORM_MEDIA_TYPE, OAUTH_ERRORS, toOAuthErrorCode, type Route } from '@/lib/server/http';
import { getLimit, LIMITS } from '@/lib/server/storage';
import { PAGE_ACCOUNT_HEADER, PROOF_HEADER } from '@/lib/shared/request-headers';
import { cookieTable } from '@/lib/shared/cookie-table';
import { PROBLEMS, PROBLEM_MEDIA_TYPE, type ProblemCode } from '@/lib/shared/problem';
import { accountDocs } from './docs/account';
import { passkeyDocs, secondFactorDocs } from './docs/factors';
import { operatorDocs, sessionDocs } from './docs/session';
import { type OperationDocs, responseSchemas } from './response-schemas';
import recorded from './examples.json';
const TAGS = {
  Session: 'What a platform calls, and what keeps a session',
  Account: 'What the pages of this app call for accounts and passwords',
  Passkeys: 'What the pages of this app call for passkeys (WebAuthn)',
  'Second factor': 'What the pages of this app call for authenticator apps (RFC 6238) and recovery codes',
  Operators: 'Health, counters and reports',
} as const;
type Tag = keyof typeof TAGS;

const operationDocs: Record<string, OperationDocs & { tag: Tag }> = Object.fromEntries([
  ...tagged('Session', sessionDocs),
  ...tagged('Account', accountDocs),
  ...tagged('Passkeys', passkeyDocs),
  ...tagged('Second factor', secondFactorDocs),
  ...tagged('Operators', operatorDocs),
]);

function tagged(tag: Tag, entries: Record<string, OperationDocs>): [string, OperationDocs & { tag: Tag }][] {
  return Object.entries(entries).map(([path, entry]) => [path, { ...entry, tag }]);
}

/** Recorded responses of a test run, by kind. `npm run docs:examples` records and redacts them. */
type RecordedExamples = {
  /** By operation id, because a call can have several shapes of response. */
  responses: Partial<Record<string, readonly unknown[]>>;
  problems: Partial<Record<string, object>>;
  oauthErrors: Partial<Record<string, object>>;
};
const all: RecordedExamples = recorded;

/** @param operations ids of the calls with this response; equal bodies become one example */
function describeResponseExamples(operations: readonly string[]) {
  const examples = operations.flatMap((id) =>
    (all.responses[id] ?? []).map((value, i) => ({ name: i === 0 ? id : `${id}-${i + 1}`, value })),
  );
  const isFirst = ({ value }: { value: unknown }, i: number) =>
    examples.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(value)) === i;
  return toExamples(examples.filter(isFirst).map(({ name, value }) => [name, value]));
}

function toExamples(entries: readonly (readonly [string, unknown])[]) {
  const found = entries.filter(([, value]) => value !== undefined);
  return found.length > 0 ? { examples: Object.fromEntries(found.map(([name, value]) => [name, { value }])) } : {};
}

const RESPONSE_HEADERS = { 'x-request-id': referTo('headers', 'RequestId') };

type RouteFacts = Route['route'];
/** A handler that a file of pages/api exports. A handler that was not built with `apiRoute` has no facts. */
export type Handlers = Record<string, Partial<Route>>;

/** Errors that any check of a session can return. */
const SESSION_PROBLEMS = [
  'session-required',
  'token-invalid',
  'token-expired',
  'token-revoked',
  'user-deleted',
  'user-disabled',
  'provider-unavailable',
] as const;
const ADMIN_PROBLEMS = ['admin-token-required', 'admin-token-wrong'] as const;

/**
 * Generates the OpenAPI 3.1 document from the routes' own validation, and from `operationDocs` for the rest.
 * @param handlers handlers by path, as in `operationDocs`
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
      schemas: {
        Problem: toSchema(problemSchema, 'output'),
        OAuthError: toSchema(oauthErrorSchema, 'output'),
        ...mapResponses(describeSchema),
      },
      responses: { ...mapResponses(describeResponse), ...describeProblems(handlers) },
      parameters: {
        PageAccount: {
          name: PAGE_ACCOUNT_HEADER,
          in: 'header',
          required: false,
          description:
            'Id of the account that the calling page shows. If the session cookie is another account’s, the call is refused (`other-account`). Pages of this app always send it; other callers need not.',
          schema: { type: 'string' },
        },
        ProofOfWork: {
          name: PROOF_HEADER,
          in: 'header',
          required: false,
          description:
            'The solved `challenge` of a `proof-required` answer to this call: `{"challenge": …, "solution": {"counter": …, "derivedKey": …}}` in JSON, in base64. Good for one call from the same network, for five minutes; the answer’s `Retry-After` says after how many seconds none is asked for. `counter` is the smallest number from 0 on whose `derivedKey` begins with `keyPrefix`: PBKDF2 (RFC 8018) with SHA-256, `cost` rounds and `keyLength` bytes, of `nonce` and the counter as 32 bits in network byte order, with `salt`; all in lower-case hexadecimal. Libraries of ALTCHA, version 2, solve it.',
          schema: { type: 'string' },
        },
      },
      headers: {
        RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
        RequestId: {
          description:
            "Identifies the request in our log and our error reports: a UUID, or the id that the deployment's own proxy gave the request",
          schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
        },
      },
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
    ...describeParameters(path, about, facts),
    // An empty list means that no credentials are needed.
    security: about.proof ? [{ [about.proof]: [] }] : [],
    ...describeRequest(about, facts),
    responses: { ...describeSuccess(about), ...referToProblems(about, facts) },
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
    'main-domain': "Pages of the main domain may call it with the learner's cookies.",
    platform: "Origins of the platform may call it with the learner's cookies.",
    public: 'Any origin may read it.',
    own: stateChanging ? 'For pages of this app alone.' : 'No other origin may read it in a browser.',
  };
  return readers[audience];
}

const getLimitName = ({ limit }: RouteFacts) => (typeof limit === 'object' ? limit.name : limit);

function describeLimit(facts: RouteFacts): string {
  const name = getLimitName(facts);
  if (name === undefined) return '';
  const byAddress = `At most ${LIMITS[name].points} calls in ${LIMITS[name].seconds} s from one client address`;
  if (typeof facts.limit !== 'object') return `${byAddress}.`;
  return `${byAddress}, without a live session or a valid link; with one, calls are counted by that alone.`;
}

const checksAccount = (facts: RouteFacts | undefined) => facts?.checksAccount ?? facts?.stateChanging ?? false;

function describeParameters(path: string, about: OperationDocs, facts: RouteFacts | undefined) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  const parameters: object[] = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (facts?.query) parameters.push(...describeQuery(facts.query));
  if (checksAccount(facts)) parameters.push({ $ref: '#/components/parameters/PageAccount' });
  const mayNeedProof = getProblems(about, facts).some(({ codes }) => codes.includes('proof-required'));
  if (mayNeedProof) parameters.push({ $ref: '#/components/parameters/ProofOfWork' });
  return parameters.length > 0 ? { parameters } : {};
}

function describeQuery(query: z.core.$ZodType): object[] {
  const { properties = {}, required = [] } = toSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema };
  });
}

function describeRequest({ takes }: OperationDocs, facts: RouteFacts | undefined) {
  if (facts?.body) {
    const { body, tokenForm } = facts;
    const required = !z.safeParse(body, undefined).success;
    const form = tokenForm && { [FORM_MEDIA_TYPE]: { schema: toSchema(tokenForm, 'input') } };
    return { requestBody: { required, content: { 'application/json': { schema: toSchema(body, 'input') }, ...form } } };
  }
  return takes ? { requestBody: { required: true, content: Object.fromEntries(takes.map((type) => [type, {}])) } } : {};
}

function describeSuccess({ id, response }: OperationDocs) {
  if (response === 'anything')
    return {
      default: { description: 'The response of the helper', headers: RESPONSE_HEADERS, content: { '*/*': {} } },
    };
  if (response === 'text') {
    const content = { 'text/plain': { schema: { type: 'string' }, ...describeResponseExamples([id]) } };
    return { 200: { description: 'Done', headers: RESPONSE_HEADERS, content } };
  }
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
  const operations = Object.values(operationDocs)
    .filter(({ response }) => response === name)
    .map(({ id }) => id);
  const content = { 'application/json': { schema, ...describeResponseExamples(operations) } };
  return { description: 'Done', headers: RESPONSE_HEADERS, content };
}

/** Returns the problem codes of a call, grouped by status. */
function getProblems({ problems = [], proof }: OperationDocs, facts: RouteFacts | undefined) {
  const codes = new Set<ProblemCode>(['method-not-allowed', 'body-too-large', 'internal-error', ...problems]);
  const add = (...more: readonly ProblemCode[]) => more.forEach((code) => codes.add(code));
  if (facts?.body) add('bad-request', 'unsupported-media-type');
  if (facts?.query) add('bad-request');
  // Calls that change nothing refuse only preflights.
  if (facts) add('foreign-origin');
  if (facts?.tokenForm) add('unsupported_grant_type');
  if (checksAccount(facts)) add('other-account');
  if (facts?.limit) add('too-many-requests');
  const limit = facts && getLimitName(facts);
  if (limit && getLimit(limit).proofAfter !== undefined) add('proof-required');
  if (proof === 'session') add(...SESSION_PROBLEMS);
  if (proof === 'admin') add(...ADMIN_PROBLEMS);
  const statuses = [...new Set([...codes].map((code) => PROBLEMS[code]))];
  return statuses.map((status) => ({ status, codes: [...codes].filter((code) => PROBLEMS[code] === status).sort() }));
}

function referToProblems(about: OperationDocs, facts: RouteFacts | undefined) {
  const groups = getProblems(about, facts);
  return Object.fromEntries(
    groups.map(({ status, codes }) => [status, referTo('responses', toComponentName(...codes))]),
  );
}

/**
 * Describes every group of problem codes that a call can return as a response, which calls with the same group share.
 */
function describeProblems(handlers: Handlers) {
  const groups = Object.entries(handlers).flatMap(([path, { route }]) => getProblems(getDocs(path), route));
  const responses = groups.map(
    ({ status, codes }) => [toComponentName(...codes), describeProblem(status, codes)] as const,
  );
  return Object.fromEntries(responses.sort(([a], [b]) => a.localeCompare(b, 'en')));
}

function describeProblem(status: number, codes: ProblemCode[]) {
  const mayWait = status === 429 || status === 503;
  const oauthErrors = codes.includes('unsupported_grant_type')
    ? codes.flatMap((code) => toOAuthErrorCode(code) ?? [])
    : [];
  const own = { properties: { code: { enum: codes }, status: { const: status } } };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: { ...RESPONSE_HEADERS, ...(mayWait && { 'Retry-After': referTo('headers', 'RetryAfter') }) },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { allOf: [referTo('schemas', 'Problem'), own] },
        ...toExamples(codes.map((code) => [code, all.problems[code]])),
      },
      // The response to a token request in form encoding.
      ...(oauthErrors.length > 0 && {
        'application/json': {
          schema: referTo('schemas', 'OAuthError'),
          ...toExamples(oauthErrors.map((error) => [error, all.oauthErrors[error]])),
        },
      }),
    },
  };
}

function referTo(kind: 'schemas' | 'responses' | 'headers', name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `code-expired`, `code-used` → `CodeExpiredOrCodeUsed` */
function toComponentName(...names: string[]): string {
  const pascal = (name: string) => name.replaceAll(/(?:^|[-_])(\w)/g, (_, first: string) => first.toUpperCase());
  return names.map(pascal).join('Or');
}

/**
 * Problem details (RFC 9457, section 3.1) with our `code`. One-time codes add `triesLeft`, and a proof of work adds a
 * `challenge`.
 */
const problemSchema = z.strictObject({
  type: z.string().regex(/^urn:problem:/),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(PROBLEMS).sort()),
  detail: z.string().optional(),
  triesLeft: z.int().min(0).optional(),
  challenge: z.optional(challengeSchema),
});

/** RFC 6749, section 5.2. */
const oauthErrorSchema = z.strictObject({ error: z.enum(Object.values(OAUTH_ERRORS)), error_description: z.string() });

function toSchema(schema: z.core.$ZodType, io: 'input' | 'output') {
  // The document itself declares the JSON Schema dialect.
  return { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), $schema: undefined };
}
