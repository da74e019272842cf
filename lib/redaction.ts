/** Keeps secrets out of whatever leaves the product: error reports, analytics, logs (product decisions, 7). */

const SECRET_NAME =
  /^(oobcode|code|token|id_?token|access_?token|refresh_?token|custom_?token|link_?token|password|new_?password|current_?password|cookies?|set-cookie|authorization|email|state|code_verifier)$/i;
const REMOVED = '[redacted]';
const SECRET_PARAMETER =
  /([?&](?:oobCode|code|token|id_token|access_token|refresh_token|customToken|linkToken|password|email|state|code_verifier)=)[^&#\s"']*/gi;
const FRAGMENT = /(https?:\/\/[^\s"'#]*|\/[^\s"'#]*)#[^\s"']*/g;
const EMAIL = /[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/g;
const JWT = /eyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*){0,3}/g;
const DEEPEST = 12;

/** @returns the text without secret parameters, fragments of addresses, e-mail addresses and tokens */
export function redactText(text: string): string {
  return text
    .replaceAll(SECRET_PARAMETER, `$1${REMOVED}`)
    .replaceAll(FRAGMENT, '$1')
    .replaceAll(JWT, REMOVED)
    .replaceAll(EMAIL, REMOVED);
}

/** The same for every text inside a value; what stands under a secret name is removed whole. */
export function redact<T>(value: T, depth = 0): T {
  if (typeof value === 'string') return redactText(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return REMOVED as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redact(item, depth + 1)) as T;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => [
    name,
    SECRET_NAME.test(name) && isPlain(inner) ? REMOVED : redact(inner, depth + 1),
  ]);
  return Object.fromEntries(entries) as T;
}

/** Cookies and headers come as lists and maps as well: those go whole too. */
function isPlain(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean';
}
