// cspell:disable -- names in many languages
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toDisplayDomain, toDisplayEmail } from './display-domain';

const encode = (domain: string) => new URL(`http://${domain}/`).hostname;

it.each([
  'bücher.example',
  'lernen.größe.example',
  'école.example',
  'łódź.example',
  '日本語.example',
  'ひらがな.example',
  '한국어.example',
  'почта.рф',
  'campus.example',
  'learn.münchen-1.example',
])('%s is shown as written', (domain) => {
  expect(toDisplayDomain(encode(domain))).toBe(domain);
  expect(toDisplayEmail(`lena@${encode(domain)}`)).toBe(`lena@${domain}`);
});

it.each([
  ['Cyrillic letters that look Latin', 'аррӏе.com'],
  ['one Cyrillic letter', 'cаmpus.example'],
  ['a dotless i', 'mıcrosoft.com'],
  ['Greek omicron', 'gοοgle.com'],
  ['a Latin letter of phonetics', 'ɡoogle.com'],
  ['Cyrillic before a Latin ending', 'почта.example'],
  ['mixed scripts in two labels', 'почта.bücher.рф'],
])('%s stay in ASCII: %s', (_what, domain) => {
  expect(toDisplayDomain(encode(domain))).toBe(encode(domain));
});

it.each(['xn--', 'xn--a-.example', 'xn--99999999999.example', 'xn--campus-.example', 'xn--!.example'])(
  'a malformed name is left alone: %s',
  (domain) => {
    expect(toDisplayDomain(domain)).toBe(domain);
  },
);

it('shows nothing that leads to another domain', () => {
  const label = fc.stringMatching(/^[a-z0-9-]{1,16}$/).map((text) => `xn--${text}`);
  fc.assert(
    fc.property(fc.oneof(label, fc.domain()), (domain) => {
      const shown = toDisplayDomain(domain);
      return shown === domain || encode(shown) === domain;
    }),
    { numRuns: 5_000 },
  );
});
