import { getMatchLength } from './patterns';

/**
 * Suffixes of names whose values are secret, compared in lower case and without separators: `idToken`, `id_token`,
 * `ID-TOKEN`, `tokens` and `token2` all match.
 */
const SECRET_ENDING =
  /(?:token|secret|code|code(?:verifier|challenge)|(?:password|passwd|passphrase|pwd)(?:hash|confirm(?:ation)?)?|otp|credential|(?:api|private|access)key|cookie|authorization|email(?:address)?|saml(?:request|response)|assertion|relaystate|usersession|jwt)s?\d*$/;
/** Whole names only: `spin`, `visibilityState` and `bypass` are harmless. */
const SECRET_WORDS = new Set(['state', 'pin', 'pass']);
/**
 * Codes that operators need and that are never secret: HTTP and SMTP statuses, exit and error codes, countries,
 * languages, currencies, and the support code that the self-check shows to learners.
 */
const HARMLESS_CODE = /(?:status|response|exit|error|country|language|currency|support)codes?$/;
/** Names of system errors, as the value of `code`. A list: a code of a device flow is of capital letters as well. */
const SYSTEM_ERROR =
  /(["']?)(?:EACCES|EADDRINUSE|EADDRNOTAVAIL|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EMFILE|ENETUNREACH|ENOENT|ENOSPC|ENOTFOUND|EPERM|EPIPE|EROFS|ETIMEDOUT)\1(?=[\s,;})\]]|$)/y;
/** Header names inside a longer name, as traces write them: `http.request.header.cookie.{cookie name}`. */
const HEADER_PART = /(?:^|[._-])(?:cookies?|authorization)(?:[._]|$)/i;
/** Headers whose value extends to the end of the line. */
const LONG_HEADER = /(?:cookies?|authorization)$/i;

/** Maximum length of a name that is compared, in characters. */
export const MAX_NAME_LENGTH = 80;

/** Whether the value of this name is secret. */
export function isSecretName(name: string): boolean {
  const plain = normalizeName(name);
  if (HARMLESS_CODE.test(plain)) return false;
  return SECRET_ENDING.test(plain) || SECRET_WORDS.has(plain) || HEADER_PART.test(name);
}

/** Whether the words name a harmless code, such as `status code`. */
export function isHarmlessCode(words: string): boolean {
  return HARMLESS_CODE.test(normalizeName(words));
}

/** Whether the text has the name of a system error here, quoted or not, and it is the value of `code`. */
export function isSystemErrorCode(name: string, text: string, at: number): boolean {
  return normalizeName(name) === 'code' && getMatchLength(SYSTEM_ERROR, text, at) > 0;
}

function normalizeName(name: string): string {
  return name
    .slice(-MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/** Whether the value of this name extends to the end of the line. */
export function isLongHeader(name: string): boolean {
  return LONG_HEADER.test(name);
}
