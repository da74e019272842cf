// cspell:ignore Rahman
// Threats: name-injection
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeEmail } from '.';
import { getNameForEmail } from './email-contents';

describe('a name in an email', () => {
  it.each([
    'Acme',
    'J. R. Smith',
    'Dr. Smith',
    "O'Neil",
    'Anne-Marie',
    '2. Grundschule Köln',
    'Université Paris 8 – Vincennes',
    'AT&T',
    '東京大学',
  ])('is accepted: %s', (name) => expect(getNameForEmail(name)).toBe(name));

  it.each([
    ...['evil.com', 'evil。com', 'evil[.]com', 'ｅｖｉｌ．ｃｏｍ', 'ev\u200bil.com', 'evil\u2060.com', 'evil.\u202emoc', 'http://a', 'mailto:x', 'a@b'],
    ...['a/b', 'You have won, call 0170 1234567', '<b>Mia</b>', 'x'.repeat(61), '', ' ', '\u200b', '...', '123', '1.2.3.4'],
    ...['You have won 500 EUR, collect at evil.example', 'evil (.) com', 'evil\u3000.com'],
  ])('is omitted if it is %j', (name) => expect(getNameForEmail(name)).toBeNull()); // oxfmt-ignore

  it.each([
    [' Mia \n\t Moreau ', 'Mia Moreau'],
    ['Mia\u202e Moreau\u0000', 'Mia Moreau'],
    ['Ｍｉａ', 'Mia'],
    ['Mi\u00ada', 'Mia'],
    ['Md.Rahman', 'Md. Rahman'],
    ['J.R.Smith', 'J. R. Smith'],
  ])('is normalized to its visible text: %j', (name, seen) => expect(getNameForEmail(name)).toBe(seen));
});

/** Generates text that is likely to contain disguised parts of links. */
const pieces = fc.constantFrom(
  ...['evil', 'com', 'example', 'xn--bcher-kva', 'bücher', '例え', 'рф', 'www', 'http', 'mailto', 'Smith', 'J', 'R', 'A', '1', '255', '0170 1234567'],
  ...['.', '．', '。', '｡', '․', '﹒', '‥', '…', '⒈', ':', '：', '/', '／', '\\', '@', '＠', '[.]', '(.)', ' dot ', '?', '#', '%2e', '&#46;'],
  ...[' ', '\u00a0', '\u3000', '\t', '\n', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u2066', '\u034f', '\u3164', '\ufe0f', '\u0301'],
  ...['-', "'", '’', ',', '&', '+', '(', ')', '·', '・', '<', '>', '"'],
); // oxfmt-ignore
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(fc.string({ unit: 'grapheme', maxLength: 10 }), fc.array(pieces, { maxLength: 6 }))
    .map(([text, parts]) => text + parts.join('')),
);

/**
 * Patterns that email clients turn into links, or that hide a link. They are independent of the rule under test, and
 * each is wider.
 */
const LINKED = {
  host: /[\p{L}\p{M}\p{N}_-][.\u3002\uff0e\uff61\u2024\ufe52][\p{L}\p{M}\p{N}-]{2,}/u,
  'IP address': /\p{N}\.\p{N}/u,
  scheme: /[\p{L}\p{N}]:\S/u,
  'mailbox or path': /[@/\\]/,
  telephone: /(?:\p{N}\P{N}*){7}/u,
  'hidden or turned round': /[\p{C}\p{Default_Ignorable_Code_Point}]/u,
  markup: /[<>"[\]]/,
  'too long': /.{61}/su,
};
const findingsIn = (text: string) => Object.entries(LINKED).flatMap(([name, rule]) => (rule.test(text) ? name : []));

describe('for any name', () => {
  it('no part of it becomes a link', () => {
    let passed = 0;
    fc.assert(
      fc.property(hostile, (name) => {
        const safe = getNameForEmail(name);
        if (safe === null) return;
        passed += 1;
        expect(findingsIn(safe)).toEqual([]);
        expect(getNameForEmail(safe)).toBe(safe);
      }),
      { numRuns: 5_000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it('an email contains it in no other form', () => {
    const context = { origin: 'https://id.test', brandName: 'Campus', accent: '#1f5f5b', support: 'help@campus.test' };
    const letterFor = (name: string) =>
      composeEmail({ kind: 'methods', methods: [{ method: 'oidc.north', partner: { id: 'north', name } }] }, context);
    const [before = '', after = ''] = letterFor('NAME').text.split('NAME');
    fc.assert(
      fc.property(hostile, (name) => {
        const { text, html, subject } = letterFor(name);
        expect(text).toBe(before + (getNameForEmail(name) ?? 'SSO') + after);
        expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://id.test/partner-auth/initiate?partner=north"']);
        expect(subject).toBe('How you sign in to Campus');
      }),
    );
  });
});
