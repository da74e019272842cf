import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { getMediaType, readBytes, validate } from './body';
import { assertOwnOrigin } from './own-origin';

/** The encoding in which OAuth libraries send a token request (RFC 6749, section 4.1.3). */
export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** The only grant type of the token call. */
export const GRANT_TYPE = 'authorization_code';

/** The error codes of RFC 6749, section 5.2, for our problem codes. The others are sent as problems. */
export const OAUTH_ERRORS = {
  'bad-request': 'invalid_request',
  invalid_grant: 'invalid_grant',
  unsupported_grant_type: 'unsupported_grant_type',
} as const satisfies Partial<Record<ProblemCode, string>>;

const DESCRIPTIONS = {
  invalid_request: 'The request is malformed',
  invalid_grant: 'The code or its verifier is not valid, or the code was used; start again',
  unsupported_grant_type: 'Only authorization_code is supported',
} as const;

export function isTokenForm(req: Pick<IncomingMessage, 'headers'>): boolean {
  return getMediaType(req) === FORM_MEDIA_TYPE;
}

/**
 * Reads and validates a token request in form encoding. Browsers send forms across sites without a preflight, so a form
 * from a page of another origin is refused; mobile apps and servers send neither header.
 * @throws ApiProblem `foreign-origin`, `body-too-large`, `bad-request` or `unsupported_grant_type`
 */
export async function readTokenForm<T>(req: IncomingMessage, schema: z.core.$ZodType<T>): Promise<T> {
  if (req.headers.origin !== undefined || req.headers['sec-fetch-site'] !== undefined) assertOwnOrigin(req);
  const parameters = [...new URLSearchParams((await readBytes(req)).toString('utf8'))];
  const names = new Set(parameters.map(([name]) => name));
  // RFC 6749, section 3.2: parameters must not be included more than once.
  if (names.size < parameters.length) throw new ApiProblem('bad-request', { detail: 'A parameter is repeated' });
  const request = Object.fromEntries(parameters);
  const isOtherGrant = request.grant_type !== undefined && request.grant_type !== GRANT_TYPE;
  if (isOtherGrant) throw new ApiProblem('unsupported_grant_type');
  return validate(request, schema);
}

/** @returns null for a problem that RFC 6749 has no code for */
export function toOAuthErrorCode(code: ProblemCode): keyof typeof DESCRIPTIONS | null {
  return Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code as keyof typeof OAUTH_ERRORS] : null;
}

/** The error response of RFC 6749, section 5.2; null for a problem that it has no code for. */
export function toOAuthError({ code, options }: ApiProblem): { error: string; error_description: string } | null {
  const error = toOAuthErrorCode(code);
  return error && { error, error_description: options.detail ?? DESCRIPTIONS[error] };
}
