const SUPPORT_CODE = /^[\dA-Z]{4}-[\dA-Z]{4}$/;

/** Returns a support code as it is stored: in upper case. Null if it is none. */
export function parseSupportCode(value: unknown): string | null {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return SUPPORT_CODE.test(code) ? code : null;
}
