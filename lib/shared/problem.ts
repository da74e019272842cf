/** Error responses of the API: `application/problem+json` (RFC 9457) with a stable `code`. */
export const PROBLEMS = {
  'bad-request': 400,
  /** OAuth's error code for an invalid code or verifier (RFC 6749, section 5.2). */
  invalid_grant: 400,
  /** OAuth's error code for any other grant than an authorization code. */
  unsupported_grant_type: 400,
  'code-missing': 400,
  'code-wrong': 400,
  /** The email address entered for a sign-in link is not the one it was sent to. */
  'link-email-wrong': 400,
  'password-common': 400,
  'password-personal': 400,
  /** The identity provider's own password policy is stricter. */
  'password-weak': 400,
  'token-invalid': 401,
  'token-expired': 401,
  'token-revoked': 401,
  'token-too-old': 401,
  'user-deleted': 401,
  'user-disabled': 401,
  'session-required': 401,
  'admin-token-required': 401,
  'foreign-origin': 403,
  'admin-token-wrong': 403,
  /** The account has no email address because its sign-in provider shared none: there is nothing to confirm. */
  'email-missing': 403,
  'email-not-verified': 403,
  'legacy-reset-required': 403,
  'legacy-sign-in-required': 403,
  'recent-login-required': 403,
  /** The sign-in provider is neither enabled for this origin nor in the directory. */
  'provider-not-allowed': 403,
  /** The current password, required to change it, is wrong. */
  'password-wrong': 403,
  /** A link opened in a different browser than the registration: it only confirms together with a new password. */
  'new-password-required': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'email-taken': 409,
  /** The page shows another account than the one that is signed in now. */
  'other-account': 409,
  /** The account must keep a sign-in method. */
  'last-method': 409,
  'action-code-expired': 410,
  'action-code-invalid': 410,
  'code-expired': 410,
  'code-locked': 410,
  'code-used': 410,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'invalid-enterprise-sign-in-email': 422,
  'invalid-enterprise-domain': 422,
  'invalid-sso-method': 422,
  'too-many-requests': 429,
  'internal-error': 500,
  'mail-unavailable': 503,
  'provider-unavailable': 503,
  'records-unavailable': 503,
  'shutting-down': 503,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Reasons why the server rejects a new password. Each has its own message at the field. */
export const PASSWORD_REFUSALS = [
  'password-common',
  'password-personal',
  'password-weak',
] as const satisfies readonly ProblemCode[];

/** Whether a failure is shown at the field and needs no notice. */
export function isPasswordRefusal(code: string): boolean {
  const refusals: readonly string[] = PASSWORD_REFUSALS;
  return refusals.includes(code);
}

export type ProblemDetails = {
  /** A stable reference of the form `urn:problem:{code}`. */
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  /** With `code-wrong`: how many attempts this code has left (an extension member, RFC 9457, section 3.2). */
  triesLeft?: number;
};

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A failure returned by the API, thrown anywhere below a route. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;

  /**
   * @param code a key of `PROBLEMS`
   * @param options `detail` for the caller; `retryAfter` in seconds for 429 and 503; `triesLeft` of a one-time code
   */
  constructor(
    readonly code: ProblemCode,
    readonly options: { detail?: string; retryAfter?: number; triesLeft?: number; cause?: unknown } = {},
  ) {
    super(options.detail ?? code, { cause: options.cause });
    this.status = PROBLEMS[code];
  }

  toJSON(): ProblemDetails {
    const title = this.code.replaceAll('-', ' ');
    return {
      type: `urn:problem:${this.code}`,
      title,
      status: this.status,
      code: this.code,
      detail: this.options.detail,
      triesLeft: this.options.triesLeft,
    };
  }
}

/**
 * Use this instead of `instanceof`: pages and API routes are bundled separately, each with its own copy of the class,
 * and modules shared by both (`processWide`) can throw either.
 */
export function isApiProblem(value: unknown): value is ApiProblem {
  return value instanceof Error && value.name === 'ApiProblem';
}

/** Resolves to null if the promise rejects with an `ApiProblem`; other errors are rethrown. */
export async function nullOnProblem<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isApiProblem(error)) return null;
    throw error;
  }
}
