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
/** Scripts with letters that look like Latin letters. They are readable only if the whole domain uses the script. */
const LOOK_ALIKE = [/^[\p{Script=Cyrillic}\d-]+$/u, /^[\p{Script=Greek}\d-]+$/u];

/**
 * Converts a domain to its owner's spelling (`café.example`), for display only. A domain that could be mistaken for
 * another domain stays in its ASCII form (`xn--…`; Unicode Technical Standard 39, section 5).
 */
export function toDisplayDomain(domain: string): string {
  if (!/(?:^|\.)xn--/.test(domain)) return domain;
  const labels = domain.split('.').map((label) => (label.startsWith('xn--') ? decodePunycode(label.slice(4)) : label));
  if (!labels.every((label) => label !== null)) return domain;
  const written = labels.join('.');
  const isSafe = labels.every((label) => [LATIN, ...DISTINCT].some((script) => script.test(label)));
  const isOneScript = LOOK_ALIKE.some((script) => labels.every((label) => script.test(label)));
  // Accept only a spelling that encodes to the same domain again. Others were never valid names.
  return (isSafe || isOneScript) && getHostname(written) === domain ? written : domain;
}

/** Converts the domain of an email address to its owner's spelling. Browsers encode the domain of a typed address. */
export function toDisplayEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + toDisplayDomain(email.slice(at));
}

function getHostname(host: string): string | null {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : null;
}

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;

/** Decodes a domain label without its `xn--` prefix (RFC 3492, section 6.2). @returns null if it is malformed */
function decodePunycode(label: string): string | null {
  const end = label.lastIndexOf('-');
  const output = end > 0 ? Array.from(label.slice(0, end)) : [];
  let [codePoint, bias, index] = [INITIAL_CODE_POINT, INITIAL_BIAS, 0];
  for (let at = end > 0 ? end + 1 : 0; at < label.length;) {
    const start = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = parseInt(label[at++] ?? '', BASE);
      if (Number.isNaN(digit)) return null;
      // RFC 3492 counts letters first: a = 0 … z = 25, 0 = 26 … 9 = 35.
      const value = digit >= 10 ? digit - 10 : digit + 26;
      index += value * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const count = output.length + 1;
    bias = adapt(index - start, count, start === 0);
    codePoint += Math.floor(index / count);
    if (codePoint > 0x10ffff) return null;
    index %= count;
    output.splice(index++, 0, String.fromCodePoint(codePoint));
  }
  return output.join('');
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
