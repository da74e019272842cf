import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactJson, redactText } from './redact';
import { decodeText } from './text';

/** No encoding changes these letters, so any surviving part of a secret contains them. */
const TRACE = 'QxQ';
const SAFE = '[redacted]';

/** How JSON serializers escape a quote. Most use `\"`, and .NET uses `\u0022`. */
const QUOTES = { backslash: '\\"', unicode: '\\u0022' } as const;
type Quote = keyof typeof QUOTES;

/**
 * Writes JSON with one style of escaped quotes. Pairs are read from the left, so `\\"` is a backslash and a closing
 * quote.
 */
function writeJson(value: unknown, quote: Quote): string {
  return JSON.stringify(value).replaceAll(/\\./g, (pair) => (pair === '\\"' ? QUOTES[quote] : pair));
}

type Level = { quote: Quote; percent: number };
/** Nests JSON around the secret, from the inside out. */
const nest = (members: Record<string, unknown>, levels: readonly Level[]) =>
  levels.reduce<string>((text, { quote, percent }, index) => {
    const json = writeJson(index === 0 ? members : { first: 'x', body: text, lang: 'en' }, quote);
    return Array.from({ length: percent }).reduce<string>((inner) => encodeURIComponent(inner), json);
  }, '');

const quote = fc.constantFrom<Quote>('backslash', 'unicode');
/** Generates the JSON text of the members, with 1 to 4 further levels around it. */
const levelsWith = (percent: fc.Arbitrary<number>) =>
  fc.array(fc.record({ quote, percent }), { minLength: 2, maxLength: 5 });
const plain = levelsWith(fc.constant(0));
const encoded = levelsWith(fc.nat(2));

/** Text that can look like the end of a value, with any number of quotes, backslashes, brackets and commas. */
const part = fc.string({
  unit: fc.constantFrom('"', '\\', "'", '}', ']', ',', ':', 'u0022', '\\u0022', ' ', 'n', '&', '='),
  maxLength: 6,
});
const secret = fc.tuple(part, part, part).map(([a, b, c]) => `${a}${TRACE}${b}${TRACE}${c}`);
const value = fc.oneof(
  secret,
  fc.array(secret, { minLength: 1, maxLength: 2 }),
  secret.map((text) => ({ deep: text })),
);
const name = fc.constantFrom('password', 'idToken', 'oobCode', 'email', 'Cookie');

describe('a secret in nested JSON', () => {
  it.each([
    ['as it is', plain],
    ['percent-encoded in between', encoded],
  ])('is removed for any escaping of quotes, %s', (_name, levels) => {
    fc.assert(
      fc.property(name, value, levels, (key, planted, around) => {
        expect(redactText(nest({ first: 'x', [key]: planted, lang: 'en' }, around))).not.toContain(TRACE);
        expect(redactText(nest({ [key]: planted }, around).slice(0, -2))).not.toContain(TRACE);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is all that is removed', () => {
    fc.assert(
      fc.property(name, secret, plain, (key, planted, levels) => {
        let text = redactText(nest({ first: 'x', [key]: planted, lang: 'en' }, levels));
        for (let level = 1; level < levels.length; level += 1) text = (JSON.parse(text) as { body: string }).body;
        expect(JSON.parse(text)).toEqual({ first: 'x', [key]: SAFE, lang: 'en' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is removed from a recording and from a value', () => {
    fc.assert(
      fc.property(name, value, encoded, (key, planted, levels) => {
        const text = nest({ first: 'x', [key]: planted }, levels);
        expect(redactJson(JSON.stringify({ deep: [text] }))).not.toContain(TRACE);
      }),
    );
  });
});

describe('the depth of a quote', () => {
  /** Every sequence of escape styles, up to four levels. */
  const orders = [1, 2, 3, 4].flatMap((length) =>
    Array.from({ length: 2 ** length }, (_, bits) =>
      Array.from({ length }, (_each, index): Quote => ((bits >> index) & 1 ? 'unicode' : 'backslash')),
    ),
  );

  it.each(orders.map((order) => [order.join(', '), order] as const))(
    'counts the JSON texts around it: %s',
    (_name, order) => {
      for (const content of ['', '\\', '\\\\', '\\\\\\']) {
        // The innermost text is `"{content}"`. Its own two quotes are as deep as the texts around it.
        const inner = JSON.stringify(content);
        const text = order.reduce((now, each) => writeJson(now, each), inner);
        const decoded = decodeText(text);
        const depths = [...decoded.text].flatMap((character, at) => (character === '"' ? [decoded.getDepth(at)] : []));
        const levels = Array.from({ length: order.length + 1 }, (_, level) => level);
        expect(depths).toEqual([...levels, ...levels.toReversed()]);
      }
    },
  );
});
