// ASVS: 3.2.2
import { describe, expect, it } from 'vitest';
import { contrast } from '@/lib/shared/config/brand-color';
import { composeEmail } from '.';

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
    expect(text).toMatch(/Choose a new password:\n\S+\/forget-password\n/);
  });

  it('names the one that its owner removed', () => {
    const { subject, text } = composeEmail({ kind: 'method-removed', kept: [password], removed: [google] }, context);
    expect(subject).toBe('A sign-in method was removed from your Brontë & <Sons> account');
    expect(text).toContain('\nRemoved sign-in methods: Google.\n');
    expect(text).toContain('\nSign-in methods you can use now: email and password.\n');
    expect(text).toMatch(/Choose a new password:\n\S+\/forget-password\n/);
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
