/**
 * What a platform can ask for, by the parameter of OpenID Connect (Core 1.0, section 3.1.2.1): `aal2` are two factors; any other value is
 * ignored.
 */
export const TWO_FACTORS = 'aal2';

/** @param value untrusted: of a URL or a cookie; space-separated, in order of preference */
export function toAssurance(value: string | undefined): 1 | 2 {
  return value === TWO_FACTORS ? 2 : 1;
}
