import { OAuthProvider } from 'firebase/auth';
import { describe, expect, it, vi } from 'vitest';
import type { Language } from '@/lib/shared/i18n/languages';
import { parseAppConfig } from '@/lib/shared/config/app-config';
import { federatedErrorCode } from './federated-errors';
import { createFederatedProvider } from '../provider/federated-provider';
import { isSocialProvider, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';

describe('providers', () => {
  it('can be enabled by an app config, and no others', () => {
    const enabledIdentities = ['password', ...Object.keys(SOCIAL_PROVIDERS), 'enterprise'];
    expect(parseAppConfig({ enabledIdentities })).toEqual({ config: { enabledIdentities }, dropped: [] });
    expect(parseAppConfig({ enabledIdentities: ['yahoo.com'] }).dropped).toEqual(['enabledIdentities']);
  });

  it('does not accept an inherited property name as a provider', () => {
    expect(isSocialProvider('constructor')).toBe(false);
  });

  it('creates the SDK object of each provider', async () => {
    const made = await Promise.all(Object.keys(SOCIAL_PROVIDERS).map((id) => createFederatedProvider({}, id)));
    expect(made.map(({ providerId }) => providerId)).toContain('oidc.linkedin');
    expect((await createFederatedProvider({}, 'saml.acme')).providerId).toBe('saml.acme');
  });

  it("asks for a provider's pages in the language of this one, where there are several", async () => {
    vi.stubGlobal('document', { documentElement: { lang: 'pt-BR' } });
    const askAt = async (id: string, locales?: [Language, string][]) => {
      const provider = await createFederatedProvider({ ...(locales && { locales }) }, id);
      return provider instanceof OAuthProvider ? provider.getCustomParameters() : null;
    };
    const several: [Language, string][] = [
      ['en', 'English'],
      ['pt-BR', 'Portuguese'],
    ];
    expect(await askAt('google.com', several)).toEqual({ hl: 'pt-BR' });
    expect(await askAt('linkedin.com', several)).toEqual({ ui_locales: 'pt-BR' });
    expect(await askAt('oidc.partner', several)).toEqual({ ui_locales: 'pt-BR' });
    expect(await askAt('google.com')).toEqual({});
    vi.unstubAllGlobals();
  });

  it('rejects the password and unknown providers, with the message of the specification', async () => {
    await expect(createFederatedProvider({}, 'password')).rejects.toThrow('Cannot use redirect for password');
    await expect(createFederatedProvider({}, 'myspace.com')).rejects.toThrow(
      'Unsupported authentication provider: myspace.com',
    );
    await expect(createFederatedProvider({}, 'saml.a/../b')).rejects.toThrow('Unsupported authentication provider');
  });

  it.each([
    ['auth/cancelled-popup-request', 'google.com', 'auth/popup-closed-by-user'],
    ['auth/user-cancelled', 'github.com', 'auth/popup-closed-by-user'],
    ['auth/internal-error', 'google.com', 'auth/invalid-result-from-google'],
    ['auth/invalid-credential', 'facebook.com', 'auth/provider-failed'],
    ['auth/credential-already-in-use', 'google.com', 'auth/email-already-in-use/link'],
    ['auth/account-exists-with-different-credential', 'github.com', 'auth/account-exists-with-different-credential'],
    ['auth/never-heard-of', 'google.com', 'unknown'],
  ])('maps %s of %s to %s', (code, provider, expected) => {
    expect(federatedErrorCode({ code }, provider)).toBe(expected);
  });
});
