import { describe, expect, it } from 'vitest';
import { contrast } from '@/lib/config/brand-colour';
import { composeLetter } from '.';

const setting = {
  origin: 'https://id.campus.example',
  brandName: 'Brontë & <Sons>',
  accent: '#ffe14d',
  support: 'help@campus.example',
};
const link = 'https://id.campus.example/actions?mode=verifyEmail&oobCode=a%26b';
const confirm = { kind: 'confirm', name: '<b>Mia</b> & "Co"', code: '0A1B2C', link } as const;

describe('a letter', () => {
  const { subject, html, text } = composeLetter(confirm, setting);

  it('is escaped where it is HTML, and plain where it is text', () => {
    expect(html).toContain('&lt;b&gt;Mia&lt;/b&gt; &amp; &quot;Co&quot;');
    expect(html).not.toMatch(/<b>|<Sons>/);
    expect(text).toContain('<b>Mia</b> & "Co"');
    expect(subject).toBe('0A1B2C is your Brontë & <Sons> code');
  });

  it('holds the whole link in both', () => {
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    expect(text).toContain(`\n${link}\n`);
  });

  it('has a button that can be read, whatever the brand’s colour is', () => {
    const [, ground = '', ink = ''] = /background-color:(#\w{6});color:(#\w{6});[^"]*text-decoration/.exec(html) ?? [];
    expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
  });
});

it('leads to every way in that an account has', () => {
  const methods = ['password', 'google.com', 'saml.acme', 'oidc.linkedin', 'oidc.unheard-of'];
  const ways = methods.map((method) => ({ method, partner: null }));
  const partner = { id: 'north', name: 'North School' };
  const { text } = composeLetter({ kind: 'methods', ways: [...ways, { method: 'oidc.north', partner }] }, setting);
  for (const label of [
    'E-mail and password:',
    'Continue with Google:',
    'Continue with SSO:\nhttps://id.campus.example/sign-in/enterprise\n',
    'Continue with LinkedIn:',
    'Continue with oidc.unheard-of:',
    'Continue with North School:\nhttps://id.campus.example/partner-auth/initiate?partner=north\n',
  ])
    expect(text).toContain(label);
});

it('leads who has no way in to a password', () => {
  const { text } = composeLetter({ kind: 'methods', ways: [] }, setting);
  expect(text).toMatch(/Choose a password:\n\S+\/forget-password\n/);
});
