// ASVS: 3.2.2
import { describe, expect, it } from 'vitest';
import { contrast } from '@/lib/shared/config/brand-color';
import { composeEmail } from '.';
import { buildEmail, type EmailRequest } from './email-contents';

const context = {
  origin: 'https://id.campus.example',
  brandName: 'Brontë & <Sons>',
  accent: '#ffe14d',
  support: 'help@campus.example',
};
const link = 'https://id.campus.example/actions?mode=verifyEmail&oobCode=a%26b';
const confirm = { kind: 'confirm', code: '0A1B2C', link } as const;

describe('an email', () => {
  const { subject, html, text } = composeEmail(confirm, context);

  it('is escaped in HTML, and unescaped in plain text', () => {
    expect(html).toContain('Brontë &amp; &lt;Sons&gt;');
    expect(html).not.toContain('<Sons>');
    expect(text).toContain('Brontë & <Sons>');
    expect(subject).toBe('0A1B2C is your Brontë & <Sons> code');
  });

  it('contains the complete link in both', () => {
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    expect(text).toContain(`\n${link}\n`);
  });

  it('has a readable button for any brand color', () => {
    const [, ground = '', ink = ''] = /background-color:(#\w{6});color:(#\w{6});[^"]*text-decoration/.exec(html) ?? [];
    expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
  });
});

it('has the mark of the pages, or none where they have a logo in its place', () => {
  const arch = 'border-radius:7px 7px 0 0';
  expect(composeEmail(confirm, context).html).toContain(arch);
  const own = composeEmail(confirm, { ...context, hasOwnLogo: true }).html;
  expect(own).not.toContain(arch);
  expect(own).toMatch(/Sons&gt;<\/td>/);
});

it('links to every sign-in method of the account', () => {
  const ids = ['password', 'google.com', 'saml.acme', 'oidc.linkedin'];
  const methods = ids.map((method) => ({ method, partner: null }));
  const partner = { id: 'north', name: 'North School' };
  const { text } = composeEmail({ kind: 'methods', methods: [...methods, { method: 'oidc.north', partner }] }, context);
  for (const label of [
    'Email and password:',
    'Continue with Google:',
    'Continue with SSO:\nhttps://id.campus.example/sign-in/enterprise\n',
    'Continue with LinkedIn:',
    'Continue with North School:\nhttps://id.campus.example/partner-auth/initiate?partner=north\n',
  ])
    expect(text).toContain(label);
});

it('links to a password reset if the account has no sign-in method', () => {
  const { text } = composeEmail({ kind: 'methods', methods: [] }, context);
  expect(text).toMatch(/Choose a password:\n\S+\/forget-password\n/);
});

describe('an email about sign-in methods', () => {
  const password = { method: 'password', partner: null };
  const google = { method: 'google.com', partner: null };
  const organizations = [
    { method: 'saml.acme', partner: null },
    { method: 'oidc.north', partner: { id: 'north', name: 'North School' } },
  ];

  it('lists the removed and the remaining ones', () => {
    const { text } = composeEmail(
      { kind: 'methods-removed', kept: organizations, removed: [password, google] },
      context,
    );
    expect(text).toContain('\nRemoved sign-in methods: email and password, Google.\n');
    expect(text).toContain('\nSign-in methods you can use now: single sign-on (SSO), North School.\n');
    expect(text).toMatch(/Secure my account:\n\S+\/forget-password\n/);
  });

  it('names the one that its owner removed', () => {
    const { subject, text } = composeEmail({ kind: 'method-removed', kept: [password], removed: [google] }, context);
    expect(subject).toBe('A sign-in method was removed from your Brontë & <Sons> account');
    expect(text).toContain('\nRemoved sign-in methods: Google.\n');
    expect(text).toContain('\nSign-in methods you can use now: email and password.\n');
    expect(text).toMatch(/Secure my account:\n\S+\/forget-password\n/);
  });

  it('tells the first email that the account has another one, without any link but to support', () => {
    const { subject, text } = composeEmail({ kind: 'email-changed' }, context);
    expect(subject).toBe('The email address of your Brontë & <Sons> account was changed');
    expect(text).toContain("\nIf this wasn't you, contact us.");
    expect(text).not.toContain('/forget-password');
  });

  it('does not mention removed ones if there are none', () => {
    const { text } = composeEmail({ kind: 'password-changed', kept: [password, google], removed: [] }, context);
    expect(text).toContain('\nSign-in methods you can use now: email and password, Google.\n');
    expect(text).not.toContain('Removed sign-in methods');
  });
});

it('links an unverified email to its confirmation, and lists no sign-in method', () => {
  const { text } = composeEmail({ kind: 'verify-link', link }, context);
  expect(text).toContain(`Confirm and choose a password:\n${link}\n`);
  expect(text).not.toMatch(/Google|\/sign-in/);
});

const at = '2026-11-30T09:00:00Z';
const methods = { kept: [{ method: 'password', partner: null }], removed: [{ method: 'google.com', partner: null }] };
const passkey = { provider: 'iCloud Keychain', isAutomatic: false };
const attempts = [{ at, browser: 'Chrome', system: 'Android' }];

/** Each of these emails is about a change or use of the account that may not be the owner's. */
const ALERTS: EmailRequest[] = [
  { kind: 'new-sign-in', at, browser: 'Chrome', system: 'Android', link },
  { kind: 'sign-in-unfinished', isPassword: true, total: 1, attempts },
  { kind: 'sign-in-unfinished', isPassword: false, total: 3, attempts },
  { kind: 'password-changed', ...methods },
  { kind: 'method-removed', ...methods },
  { kind: 'methods-removed', ...methods },
  { kind: 'email-restored', ...methods },
  { kind: 'provider-refused', ...methods },
  { kind: 'methods-disconnected', ...methods },
  { kind: 'devices-signed-out' },
  { kind: 'passkey-added', ...passkey },
  { kind: 'passkey-removed', ...passkey },
  { kind: 'passkey-suspect', ...passkey },
  { kind: 'second-factor-on' },
  { kind: 'second-factor-off' },
  { kind: 'factor-app-added' },
  { kind: 'factor-app-removed' },
  { kind: 'recovery-code-used' },
  { kind: 'recovery-codes-replaced' },
  { kind: 'factor-locked' },
  { kind: 'factor-reset-code', code: '0A1B2C' },
  { kind: 'factor-reset-cancelled' },
  { kind: 'factor-reset-done' },
  { kind: 'deletion-cancelled' },
  { kind: 'recovery-email-removed' },
];
const OTHERS: EmailRequest[] = [
  confirm,
  { kind: 'taken', link },
  { kind: 'reset', code: '0A1B2C', link },
  { kind: 'no-account', email: 'new@campus.example' },
  { kind: 'closed' },
  { kind: 'methods', methods: methods.kept },
  { kind: 'partner-gone' },
  { kind: 'sign-in-link', link },
  { kind: 'verify-link', link },
  { kind: 'support-reset', link },
  ...(['signedOut', 'disabled', 'enabled', 'unlocked', 'emailChanged'] as const).map((change): EmailRequest => ({
    kind: 'support-change',
    change,
  })),
  { kind: 'email-changed' },
  { kind: 'recovery-email', code: '0A1B2C', link },
  { kind: 'recovery-reset', code: '0A1B2C', account: 'mia@campus.example' },
  { kind: 'recovery-email-added', link },
  { kind: 'recovery-email-gone' },
  { kind: 'deletion-requested', effectiveAt: at, link },
  { kind: 'deletion-reminder', effectiveAt: at, link },
  { kind: 'account-deleted' },
  { kind: 'factor-reset-requested', effectiveAt: at, link },
  { kind: 'factor-reset-reminder', effectiveAt: at, link },
  { kind: 'factor-reset-warning', effectiveAt: at, link },
];

const getLinks = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, href = '']) => href);

it.each(ALERTS)('offers one way to secure the account: $kind', (request) => {
  const { html, text } = composeEmail(request, context);
  expect(html.match(/>Secure my account</g)).toHaveLength(1);
  expect(text.match(/^Secure my account:\nhttps:\/\/id\.campus\.example\/\S+$/gm)).toHaveLength(1);
});

it.each([...ALERTS, ...OTHERS])(
  'has the brand and both themes, loads nothing, and says the same as text: $kind',
  (request) => {
    const { html, text } = composeEmail(request, context);
    expect(html).toMatch(
      /aria-hidden="true"[^>]*><table.*<\/table><\/td><td[^>]*><\/td><td[^>]*>Brontë &amp; &lt;Sons&gt;<\/td>/,
    );
    expect(html).toContain('<meta name="color-scheme" content="light dark"/>');
    expect(html).toContain('@media (prefers-color-scheme:dark)');
    expect(html).not.toMatch(/<(img|script|link)\b|url\(|@import/);
    expect(getLinks(html, /href="([^"]+)"/g).map((href) => href.replaceAll('&amp;', '&'))).toEqual(
      getLinks(text, /^(https:\S+)$/gm),
    );
  },
);

it.each(['#ffe14d', '#1f5f5b', '#000000', '#ffffff'])(
  'has readable colors in the dark for the brand color %s',
  (accent) => {
    const { html } = composeEmail({ kind: 'second-factor-on' }, { ...context, accent });
    const getColor = (selector: string, property: string) =>
      new RegExp(`\\.${selector}\\{[^}]*?\\b${property}:(#\\w{6})`).exec(html)?.[1] ?? '';
    const card = getColor('card', 'background-color');
    for (const selector of ['ink', 'soft', 'outline'])
      expect(contrast(getColor(selector, '(?<!-)color'), card), selector).toBeGreaterThanOrEqual(4.5);
    expect(contrast(getColor('accent', '(?<!-)color'), getColor('accent', 'background-color'))).toBeGreaterThanOrEqual(
      4.5,
    );
  },
);

it.each<[EmailRequest, string]>([
  [{ kind: 'deletion-reminder', effectiveAt: at, link }, "On November 30, 2026 we'll delete everything"],
  [{ kind: 'factor-reset-requested', effectiveAt: at, link }, 'You can cancel this until November 30, 2026'],
  [{ kind: 'factor-reset-reminder', effectiveAt: at, link }, "We'll turn it off on November 30, 2026"],
])('says beside its subject, where an inbox lists it, what comes and when: $0.kind', (request, start) => {
  expect(buildEmail(request, { ...context, language: 'en' }).preview).toMatch(new RegExp(`^${start}`));
});

describe('an email in another language', () => {
  const { subject, html, text } = composeEmail({ ...confirm }, { ...context, language: 'es' });

  it('says which one it is, and has its texts', () => {
    expect(html).toContain('<html lang="es" dir="ltr">');
    expect(subject).toBe('0A1B2C es su código de Brontë & <Sons>');
    expect(text).not.toMatch(/your|Questions/);
  });

  it('has its dates', () => {
    const effectiveAt = '2026-12-01T10:42:00.000Z';
    const email = { kind: 'deletion-requested', effectiveAt, link } as const;
    expect(composeEmail(email, { ...context, language: 'es' }).subject).toContain('el 1 de diciembre de 2026');
    expect(composeEmail(email, context).subject).toContain('on December 1, 2026');
  });

  it('is in English for a language that this version does not have', () => {
    const stored = { ...context, language: 'xx' as 'es' };
    expect(composeEmail(confirm, stored).subject).toBe('0A1B2C is your Brontë & <Sons> code');
  });
});
