// ASVS: 3.7.2
// Threats: open-redirect
import fc from 'fast-check';
import { validateCallback, type CallbackPolicy } from '@/lib/shared/callback/rules';
import { expect, test } from '../support/fixtures';
import { getSignInUrl } from '../support/journeys';

const policy: CallbackPolicy = {
  mainDomain: 'campus.example',
  ownOrigins: ['https://id.campus.example'],
  mobileScheme: 'campus',
  dashboardUrl: 'https://learn.campus.example/user/dashboard',
};

/** Fragments about which URL parsers are known to disagree, combined at random. */
const piece = fc.constantFrom(
  ...[
    'https:',
    'http:',
    'HTTPS:',
    'campus:',
    'javascript:',
    '/',
    '//',
    '\\',
    '\t',
    '\n',
    ' ',
    '@',
    ':',
    '?',
    '#',
    '%2f',
  ],
  ...[
    '%5c',
    '%00',
    '.',
    '..',
    'campus.example',
    'id.campus.example',
    'learn.campus.example',
    'localhost',
    'evil.example',
  ],
  ...[
    'campus.example.evil.example',
    'oauth-callback',
    ':443',
    ':8080',
    '[::1]',
    '127.0.0.1',
    '０',
    '。',
    'ａ',
    'ß',
    '\u00ad',
    '\u200b',
  ],
);
const address = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.constantFrom('https://', 'http://', 'https:/', 'campus://'), fc.array(piece, { maxLength: 7 }))
    .map(([start, rest]) => start + rest.join('')),
  fc
    .tuple(fc.constantFrom('https://campus.example', 'http://localhost'), fc.string({ unit: 'binary', maxLength: 12 }))
    .map((parts) => parts.join('')),
  fc.webUrl(),
);

type Seen = { href: string; protocol: string; hostname: string; username: string; password: string };

test('Chromium parses accepted callbacks the same way', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  const inputs = fc.sample(address, { numRuns: 5_000 });
  const accepted = inputs.flatMap((input) => {
    const validation = validateCallback(input, policy);
    return validation.accepted ? [{ input, ...validation }] : [];
  });
  expect(accepted.length).toBeGreaterThan(50);

  const seen = await page.evaluate(
    (addresses) =>
      addresses.map((text): Seen => {
        // Resolve it relative to the current page, as the browser would.
        const { href, protocol, hostname, username, password } = new URL(text, location.href);
        return { href, protocol, hostname, username, password };
      }),
    accepted.map(({ input }) => input),
  );

  accepted.forEach(({ input, url, rule }, index) => {
    const browser = seen[index];
    expect(browser?.href, input).toBe(url);
    expect([browser?.username, browser?.password], input).toEqual(['', '']);
    if (rule === 'mobile-app') expect(browser?.href, input).toMatch(/^campus:\/\/oauth-callback(\?|$)/);
    if (rule === 'localhost') expect(browser?.hostname, input).toBe('localhost');
    if (rule === 'main-domain') {
      expect(browser?.protocol, input).toBe('https:');
      expect(browser?.hostname, input).toMatch(/^([^.]+\.)*campus\.example$/);
      expect(browser?.hostname, input).not.toBe('id.campus.example');
    }
  });
});

test('the rules accept plain URLs that Chromium resolves to our domain', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  const plain = fc.tuple(
    fc.constantFrom('https://campus.example', 'https://learn.campus.example', 'https://a.b.campus.example:8443'),
    fc.webPath(),
  );
  const inputs = fc.sample(plain, { numRuns: 500 }).map((parts) => parts.join(''));
  const hrefs = await page.evaluate((addresses) => addresses.map((text) => new URL(text).href), inputs);
  inputs.forEach((input, index) => {
    expect(validateCallback(input, policy), input).toEqual({ accepted: true, url: hrefs[index], rule: 'main-domain' });
  });
});
