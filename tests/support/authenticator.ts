import type { Page } from '@playwright/test';

type Options = {
  /** Whether the authenticator verifies its user. Its user is always present. */
  isUserVerified?: boolean;
  /** Whether its keys can be backed up and are backed up. */
  isSynced?: boolean;
  /** `internal`: part of this device. `usb`: a security key. */
  transport?: 'internal' | 'usb' | 'hybrid';
  /** Whether the authenticator responds without an action of its user. */
  answers?: boolean;
};

/** A credential in the format of Chromium's DevTools protocol. */
export type VirtualCredential = {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
  userName?: string;
  userDisplayName?: string;
};

/** Adds a virtual authenticator to a page (WebAuthn Level 3, section 11; Chromium's DevTools protocol). */
export async function addAuthenticator(page: Page, options: Options = {}) {
  const { isUserVerified = true, isSynced = true, transport = 'internal', answers = true } = options;
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: answers,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  });
  const credentials = async () =>
    (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials as VirtualCredential[];
  return {
    client,
    authenticatorId,
    credentials,
    add: (credential: VirtualCredential) => client.send('WebAuthn.addCredential', { authenticatorId, credential }),
    /** Deletes its keys as a learner does, without the server's knowledge. */
    clear: () => client.send('WebAuthn.clearCredentials', { authenticatorId }),
    /** Sets the counter of its only key. */
    setCounter: async (signCount: number) => {
      const [credential] = await credentials();
      if (!credential) throw new Error('This authenticator has no key');
      await client.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
      await client.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
    },
    /** Sets whether its user touches it. Without a touch, a dialog stays open. */
    setPresence: (enabled: boolean) =>
      client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    setUserVerified: (isVerified: boolean) =>
      client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isVerified }),
    /** Forges its responses. */
    forge: (bits: { isBogusSignature?: boolean; isBadUV?: boolean; isBadUP?: boolean }) =>
      client.send('WebAuthn.setResponseOverrideBits', { authenticatorId, ...bits }),
    remove: () => client.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
  };
}
