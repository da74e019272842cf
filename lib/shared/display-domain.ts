import { decodePunycode } from './punycode';

// Letters of European languages, without those that look like others (ı, ĸ, ŀ, ŉ, ſ).
// cspell:disable-next-line
const LATIN = /^[a-z0-9ß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňōŏőœŕŗřśŝşšţťũūŭůűųŵŷźżž-]+$/;
/** Scripts whose letters do not look like Latin ones. */
const DISTINCT = [
  /^[\p{Script=Han}\p{Script=Hiragana}\d-]+$/u,
  /^[\p{Script=Hangul}\d-]+$/u,
  /^[\p{Script=Hebrew}\d-]+$/u,
  /^[\p{Script=Arabic}\d-]+$/u,
  /^[\p{Script=Devanagari}\p{M}\d-]+$/u,
  /^[\p{Script=Thai}\d-]+$/u,
];
/** Scripts with letters that look like Latin ones: readable as such only when the whole domain is written in them. */
const LOOK_ALIKE = [/^[\p{Script=Cyrillic}\d-]+$/u, /^[\p{Script=Greek}\d-]+$/u];

/**
 * A domain as its owner writes it (`café.example`), for display only. One that could be taken for another domain stays
 * in its ASCII form (`xn--…`; Unicode Technical Standard 39, section 5).
 */
export function toDisplayDomain(domain: string): string {
  if (!/(?:^|\.)xn--/.test(domain)) return domain;
  const labels = domain.split('.').map((label) => (label.startsWith('xn--') ? decodePunycode(label.slice(4)) : label));
  if (!labels.every((label) => label !== null)) return domain;
  const written = labels.join('.');
  const isSafe = labels.every((label) => [LATIN, ...DISTINCT].some((script) => script.test(label)));
  const isOneScript = LOOK_ALIKE.some((script) => labels.every((label) => script.test(label)));
  // Only what encodes to the same domain again: anything else was never a valid name.
  return (isSafe || isOneScript) && getHostname(written) === domain ? written : domain;
}

/** An email address with its domain as its owner writes it; browsers encode the domain of a typed address. */
export function toDisplayEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + toDisplayDomain(email.slice(at));
}

function getHostname(host: string): string | null {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : null;
}
