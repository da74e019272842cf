import type { ProofChallenge } from './request-headers';

/** Error responses of the API: `application/problem+json` (RFC 9457) with a stable `code`. */
export const PROBLEMS = {
  'bad-request': 400,
  /** OAuth's error code for an invalid code or verifier (RFC 6749, section 5.2). */
  invalid_grant: 400,
  /** OAuth's error code for any other grant than an authorization code. */
  unsupported_grant_type: 400,
  'code-missing': 400,
  'code-wrong': 400,
  /** The email address entered for a sign-in link differs from the address that received the link. */
  'link-email-wrong': 400,
  /** The configured service lists the password as breached. */
  'password-breached': 400,
  'password-common': 400,
  'password-personal': 400,
  /** The new password is the account's present password. */
  'password-unchanged': 400,
  /** The password violates the identity provider's own policy, which is stricter than ours. */
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
  /** The account has no email address because its sign-in provider shared none, so there is nothing to confirm. */
  'email-missing': 403,
  'email-not-verified': 403,
  'legacy-reset-required': 403,
  'legacy-sign-in-required': 403,
  'recent-login-required': 403,
  /** The account has a second factor, and the user has not shown it. */
  'second-factor-required': 403,
  /** The sign-in was by email, so it proves only the mailbox again. The user must use another sign-in method. */
  'other-method-required': 403,
  /** A second factor is required, and the account has none. The user must set it up first. */
  'second-factor-setup-required': 403,
  /** The sign-in provider is neither enabled for this origin nor in the directory. */
  'provider-not-allowed': 403,
  /** The client's network has made many such calls, or many were for this address. The call needs a proof of work. */
  'proof-required': 403,
  /** The current password, required to change it, is wrong. */
  'password-wrong': 403,
  /** The organization of the account requires its own sign-in. */
  'sso-required': 403,
  /** The authenticator's response is not for a request of this server. */
  'passkey-refused': 403,
  /** The passkey's counter went back, so a copy may exist. */
  'passkey-suspect': 403,
  /** The link was opened in another browser than the registration. It confirms only together with a new password. */
  'new-password-required': 403,
  'not-found': 404,
  /** The passkey was removed or belongs to another deployment. The password manager may delete it. */
  'passkey-unknown': 404,
  'method-not-allowed': 405,
  'email-taken': 409,
  /** The page shows another account than the account that is signed in now. */
  'other-account': 409,
  /** An organization manages the account, so only the organization changes its email. */
  'email-managed': 409,
  /** The email belongs to an organization, whose accounts sign in with that organization. */
  'email-of-organization': 409,
  /** The account is going to be deleted. */
  'deletion-scheduled': 409,
  /** The account must keep a sign-in method. */
  'last-method': 409,
  'passkey-exists': 409,
  'passkey-limit': 409,
  /** The account has the maximum number of authenticator apps. */
  'factor-limit': 409,
  'factor-replaced': 409,
  /** The state of the account does not allow what an operator of the support desk wants to do. */
  'action-refused': 409,
  'action-code-expired': 410,
  'action-code-invalid': 410,
  'code-expired': 410,
  'code-locked': 410,
  'code-used': 410,
  /** No sign-in of this browser waits for a second factor. */
  'sign-in-expired': 410,
  /** The passkey's challenge has expired or was used. */
  'passkey-challenge-expired': 410,
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
  starting: 503,
  /** The proxies in deploy/ send this if no process answers. */
  unavailable: 503,
  /** The store could not count an attempt of a code, so the code was not compared. */
  'store-unavailable': 503,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof PROBLEMS;

export type ProblemDetails = {
  /** A stable reference of the form `urn:problem:{code}`. */
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  /** With `code-wrong`: how many attempts this code has left (an extension member, RFC 9457, section 3.2). */
  triesLeft?: number;
  /** With `proof-required`: what to solve (docs/adr/0040). */
  challenge?: ProofChallenge;
};

export function getProblemType(code: string): string {
  return `urn:problem:${code}`;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A failure returned by the API, thrown anywhere below a route. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;

  /**
   * @param code a key of `PROBLEMS`
   * @param options `rule`: the policy rule that refused (docs/account-policy.md), for the log and its counter, never sent.
   *   `detail`: for the caller. `retryAfter`: seconds, for 429 and 503. `triesLeft`: attempts left for a one-time code.
   *   `challenge`: of a proof of work. `cookies`: `Set-Cookie` values of the response.
   */
  constructor(
    readonly code: ProblemCode,
    readonly options: {
      rule?: string;
      detail?: string;
      retryAfter?: number;
      triesLeft?: number;
      challenge?: ProofChallenge;
      cookies?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(options.detail ?? code, { cause: options.cause });
    this.status = PROBLEMS[code];
  }

  toJSON(): ProblemDetails {
    const title = this.code.replaceAll('-', ' ');
    return {
      type: getProblemType(this.code),
      title,
      status: this.status,
      code: this.code,
      detail: this.options.detail,
      triesLeft: this.options.triesLeft,
      challenge: this.options.challenge,
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
