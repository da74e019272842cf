const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;

/** Decodes a domain label without its `xn--` prefix (RFC 3492, section 6.2). @returns null if it is malformed */
export function decodePunycode(label: string): string | null {
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
