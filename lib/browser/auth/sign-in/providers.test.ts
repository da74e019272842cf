import { deleteApp, initializeApp } from 'firebase/app';
import {
  OAuthProvider,
  connectAuthEmulator,
  inMemoryPersistence,
  initializeAuth,
  signInWithCredential,
} from 'firebase/auth';
import { describe, expect, it, vi } from 'vitest';
import type { Language } from '@/lib/shared/i18n/languages';
import { parseAppConfig } from '@/lib/shared/config/app-config';
import { federatedErrorCode, shouldReport } from './federated-errors';
import { createFederatedProvider } from '../provider/federated-provider';
import { listen } from '@/tests/support/listen';
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
    // The text about a wrong password would send the learner to look for one.
    ['auth/user-disabled', 'google.com', 'auth/account-disabled'],
    ['auth/user-disabled', 'saml.acme', 'auth/account-disabled'],
  ])('maps %s of %s to %s', (code, provider, expected) => {
    expect(federatedErrorCode({ code }, provider)).toBe(expected);
  });

  it.each([
    ['auth/internal-error', 'google.com', true],
    ['auth/operation-not-allowed', 'github.com', true],
    ['auth/invalid-oauth-provider', 'oidc.acme', true],
    ['auth/invalid-credential', 'saml.acme', true],
    ['auth/invalid-credential', 'google.com', false],
    ['auth/popup-closed-by-user', 'google.com', false],
    ['auth/user-disabled', 'saml.acme', false],
    ['auth/never-heard-of', 'google.com', true],
  ])('reports %s of %s: %s', (code, provider, expected) => {
    const error = Object.assign(new Error('Firebase: Error.'), { code, customData: { appName: 'app' } });
    expect(shouldReport(federatedErrorCode(error, provider), error, provider)).toBe(expected);
  });

  it("does not report a content blocker, which the SDK's error tells by the event of its script", () => {
    const error = Object.assign(new Error('blocked'), { code: 'auth/internal-error', customData: new Event('error') });
    expect(shouldReport('auth/provider-failed', error, 'google.com')).toBe(false);
  });

  it.each([
    ['PERMISSION_DENIED', 'saml.acme', 'auth/invalid-enterprise-domain', false],
    ['PERMISSION_DENIED', 'oidc.acme', 'auth/invalid-enterprise-domain', false],
    ['PERMISSION_DENIED', 'google.com', 'auth/invalid-result-from-google', false],
    // The function itself failed.
    ['INTERNAL', 'saml.acme', 'auth/provider-failed', true],
  ])('the answer %s of the blocking function to %s is %s', async (status, provider, expected, isReported) => {
    const error = await signInAgainst(status);
    expect(error).toMatchObject({ code: 'auth/internal-error' });
    const code = federatedErrorCode(error, provider);
    expect([code, shouldReport(code, error, provider)]).toEqual([expected, isReported]);
  });
});

/** @returns the SDK's error for a provider's response in which a blocking function has returned this status */
async function signInAgainst(status: string): Promise<unknown> {
  const answer = JSON.stringify({ error: { message: 'This provider cannot sign in to this account', status } });
  const message = `BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: ${answer}`;
  const server = await listen((_req, res) => res.writeHead(400).end(JSON.stringify({ error: { code: 400, message } })));
  const app = initializeApp({ apiKey: 'key' }, status);
  try {
    const auth = initializeAuth(app, { persistence: inMemoryPersistence });
    connectAuthEmulator(auth, `http://127.0.0.1:${server.port}`, { disableWarnings: true });
    const credential = new OAuthProvider('oidc.acme').credential({ idToken: 'token' });
    return await signInWithCredential(auth, credential).catch((error: unknown) => error);
  } finally {
    await deleteApp(app);
    await server.stop();
  }
}
