/**
 * @typedef {{ path: string, status: number, type: string, body: string }} RecordedAnswer
 * @typedef {{ responses: Record<string, unknown[]>, problems: Record<string, unknown>, oauthErrors: Record<string, unknown> }} Examples
 */

/** Replacements by field, for values that differ with each run or belong to a user. @type {Record<string, string>} */
const PLACEHOLDERS = {
  uid: 'p3xW7Qk2TnZ9vB4sYc81',
  email: 'lena@campus.example',
  displayName: 'Lena',
  deletionAt: '2026-12-02T09:00:00.000Z',
  expiresAt: '2026-11-26T09:00:00.000Z',
  refreshAfter: '2026-11-22T09:00:00.000Z',
  customToken: 'eyJhbGciOiJSUzI1NiJ9.eyJ1aWQiOiJwM3gifQ.c2lnbmF0dXJl',
  access_token: 'eyJhbGciOiJSUzI1NiJ9.eyJ1aWQiOiJwM3gifQ.c2lnbmF0dXJl',
  address: 'campus://oauth-callback?code=Hk3n-0vYw8l2Qm5tXr7uZc9bD1eF4gJ6iL0oP3sT8vA&state=Zt4cQ8mWx2Lk',
  dsn: 'https://key@errors.example/1',
  rpId: 'id.campus.example',
  challenge: 'n2v4x6z8n2v4x6z8n2v4x6z8n2v4x6z8n2v4x6z8n2v',
  site: 'https://id.campus.example',
  flow: 'q7n2v4x6z8b1',
  secret: 'A2B3C4D5E6F7G2H3A2B3C4D5E6F7G2H3',
  uri: 'otpauth://totp/Campus:lena%40campus.example?issuer=Campus&secret=A2B3C4D5E6F7G2H3A2B3C4D5E6F7G2H3&algorithm=SHA1&digits=6&period=30',
  path: 'M4 4h7v1h-7zM13 4h2v1h-2z',
};
const TEXT_LINES = 3;
const RECOVERY_CODE = /^[\dA-Z]{4}(?:-[\dA-Z]{4}){3}$/;
/** Matches a sealed link, which has five parts. */
const SEALED = /^eyJ[\w-]*(?:\.[\w-]*){4}$/;
/** Matches ids and keys in base64url, but not UUIDs. */
const RANDOM = /^(?=.*[A-Z])[\w-]{22,43}$/;

/**
 * Selects and redacts examples for the API description. For each problem code, and for each shape of a successful
 * response, it takes the shortest body. Among equally short bodies it takes the first in alphabetical order, so that
 * another run selects the same.
 * @param {RecordedAnswer[]} answers
 * @param {Record<string, string>} operationIds by path
 * @returns {Examples}
 */
export function selectExamples(answers, operationIds) {
  /** @type {Examples} */
  const examples = { responses: {}, problems: {}, oauthErrors: {} };
  for (const { path, status, type, body } of answers.toSorted(compare)) {
    const media = type.split(';')[0] ?? '';
    const id = operationIds[path];
    if (media === 'application/problem+json') {
      const problem = redact(JSON.parse(body));
      examples.problems[problem.code] ??= problem;
    } else if (media === 'application/json' && status >= 400) {
      const error = JSON.parse(body);
      examples.oauthErrors[error.error] ??= error;
    } else if (status === 200 && id)
      addShape(
        (examples.responses[id] ??= []),
        media === 'application/json' ? redact(JSON.parse(body)) : body.split('\n').slice(0, TEXT_LINES).join('\n'),
      );
  }
  return mergeExamples({ responses: {}, problems: {}, oauthErrors: {} }, examples);
}

/**
 * @param {Examples} kept @param {Examples} added wins where both have an example @returns {Examples} in alphabetical
 * order
 */
export function mergeExamples(kept, added) {
  return {
    responses: sortKeys({ ...kept.responses, ...added.responses }),
    problems: sortKeys({ ...kept.problems, ...added.problems }),
    oauthErrors: sortKeys({ ...kept.oauthErrors, ...added.oauthErrors }),
  };
}

/** @template T @param {Record<string, T>} record @returns {Record<string, T>} */
function sortKeys(record) {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {RecordedAnswer} a @param {RecordedAnswer} b */
function compare(a, b) {
  return a.body.length - b.body.length || (a.body < b.body ? -1 : 1);
}

/**
 * Keeps a body for each set of fields, unless another body has all of its fields. @param {unknown[]} shapes @param
 * {unknown} value
 */
function addShape(shapes, value) {
  const isPart = (/** @type {unknown} */ a, /** @type {unknown} */ b) =>
    fields(a).every((name) => fields(b).includes(name));
  if (shapes.some((each) => isPart(value, each))) return;
  shapes.splice(0, shapes.length, ...shapes.filter((each) => !isPart(each, value)), value);
}

/** @param {unknown} value @returns {string[]} */
function fields(value) {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** @param {any} body */
function redact(body) {
  return JSON.parse(
    JSON.stringify(body, (name, value) =>
      typeof value === 'string' ? (PLACEHOLDERS[name] ?? redactText(value)) : value,
    ),
  );
}

/** @param {string} text */
function redactText(text) {
  if (RECOVERY_CODE.test(text)) return '7K2M-4P8Q-9R3T-5V6W';
  if (SEALED.test(text)) return 'a1b2c3d4e5f6g7h8i9j0k1';
  if (RANDOM.test(text)) return 'a1b2c3d4e5f6g7h8i9j0k1';
  return text
    .replaceAll(/https?:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://learn.campus.example')
    .replace(/^[\w.+-]+@campus\.test$/, 'lena@campus.example')
    .replace(/^localhost$/, 'id.campus.example');
}
