import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MANAGED_KINDS, manageCredentials } from '@/tests/support/managed-credentials';
import { createCredential, getAssertion } from './credential';
import { signalPasskeys, signalUnknownPasskey } from './signals';

const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const encoded = (text: string) => Buffer.from(text).toString('base64url');

/** Makes a class like the browser's. Its members read the object's own state and throw for any other object. */
function nativeClass(members: string[]) {
  class Native {
    readonly #state: Record<string, unknown>;
    constructor(state: Record<string, unknown>) {
      this.#state = state;
    }
    static read(target: Native, member: string): unknown {
      return target.#state[member];
    }
  }
  for (const member of members)
    Object.defineProperty(Native.prototype, member, {
      get(this: Native) {
        return Native.read(this, member);
      },
    });
  return Native;
}

const CREDENTIAL = [
  'id',
  'rawId',
  'type',
  'response',
  'authenticatorAttachment',
  'toJSON',
  'getClientExtensionResults',
];
const ASSERTION = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];
const ATTESTATION = ['clientDataJSON', 'attestationObject', 'getTransports'];
const creation = {
  challenge: encoded('challenge?>'),
  rp: { id: 'localhost', name: 'Campus' },
  user: { id: encoded('user'), name: 'mia@campus.test', displayName: 'Mia' },
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
  excludeCredentials: [{ id: encoded('other'), type: 'public-key' as const }],
};
const request = { challenge: encoded('challenge?>'), rpId: 'localhost', allowCredentials: creation.excludeCredentials };
const dialogs: (CredentialRequestOptions & CredentialCreationOptions)[] = [];
let answers: () => Promise<object | null>;

beforeEach(() => {
  dialogs.length = 0;
  const ask = (options: object) => {
    dialogs.push(options);
    return answers();
  };
  vi.stubGlobal('PublicKeyCredential', nativeClass(CREDENTIAL));
  vi.stubGlobal('AuthenticatorAssertionResponse', nativeClass(ASSERTION));
  vi.stubGlobal('AuthenticatorAttestationResponse', nativeClass(ATTESTATION));
  vi.stubGlobal('navigator', { ...navigator, credentials: { get: ask, create: ask } });
});
afterEach(() => vi.unstubAllGlobals());

/** The browser's own credential. */
function answer(name: 'AuthenticatorAssertionResponse' | 'AuthenticatorAttestationResponse', state: object): void {
  const { PublicKeyCredential: Native, [name]: Answer } = globalThis as unknown as Record<
    string,
    ReturnType<typeof nativeClass>
  >;
  if (!Native || !Answer) throw new Error('Not stubbed');
  const response = new Answer(state as Record<string, unknown>);
  const members = { id: encoded('key?>'), rawId: bytes('key?>'), type: 'public-key', response };
  const credential = new Native({ ...members, authenticatorAttachment: 'platform' });
  answers = () => Promise.resolve(credential);
}
const answerAssertion = (userHandle: string | null = 'user') =>
  answer('AuthenticatorAssertionResponse', {
    clientDataJSON: bytes('client'),
    authenticatorData: bytes('data'),
    signature: bytes('signature'),
    userHandle: userHandle === null ? null : bytes(userHandle),
  });
const answerAttestation = (getTransports?: () => unknown) =>
  answer('AuthenticatorAttestationResponse', {
    clientDataJSON: bytes('client'),
    attestationObject: bytes('attestation'),
    getTransports,
  });

const credential = { id: encoded('key?>'), rawId: encoded('key?>'), type: 'public-key' };
const assertion = {
  clientDataJSON: encoded('client'),
  authenticatorData: encoded('data'),
  signature: encoded('signature'),
  userHandle: encoded('user'),
};
const attestation = { clientDataJSON: encoded('client'), attestationObject: encoded('attestation'), transports: [] };

describe('credentials of a browser', () => {
  it('are read with all members that the server takes', async () => {
    answerAssertion();
    expect(await getAssertion(request)).toEqual({
      ...credential,
      authenticatorAttachment: 'platform',
      response: assertion,
    });
    answerAssertion(null);
    expect((await getAssertion(request)).response).not.toHaveProperty('userHandle');
    answerAttestation(() => ['internal', 'a-future-one']);
    expect((await createCredential(creation)).response.transports).toEqual(['internal', 'a-future-one']);
  });

  it('are asked for with bytes instead of base64url', async () => {
    answerAssertion();
    await getAssertion(request, { mediation: 'conditional' });
    answerAttestation();
    await createCredential(creation);
    const [{ publicKey: asked, mediation } = {}, { publicKey: made } = {}] = dialogs;
    expect(mediation).toBe('conditional');
    for (const challenge of [asked?.challenge, made?.challenge]) expect(challenge).toEqual(bytes('challenge?>'));
    expect(asked).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: bytes('other'), type: 'public-key' }] });
    expect(made).toMatchObject({ user: { id: bytes('user') }, excludeCredentials: [{ id: bytes('other') }] });
  });
});

describe.each(MANAGED_KINDS)('credentials of a password manager: %s', (kind) => {
  beforeEach(() => manageCredentials(kind));

  it('sign in', async () => {
    answerAssertion();
    expect(await getAssertion(request)).toEqual({ ...credential, response: assertion });
  });

  it('are added', async () => {
    answerAttestation(() => ['internal']);
    expect(await createCredential(creation)).toEqual({ ...credential, response: attestation });
  });

  it('are told about where that is possible, and do not fail a sign-in where it is not', async () => {
    const signal = { rpId: 'localhost', userId: 'u', credentialIds: [], name: 'mia', displayName: 'Mia' };
    await expect(signalPasskeys(signal)).resolves.toBeUndefined();
    await expect(signalUnknownPasskey('localhost', 'key')).resolves.toBeUndefined();
  });
});

describe('a dialog', () => {
  it('that returns nothing counts as closed', async () => {
    answers = () => Promise.resolve(null);
    await expect(getAssertion(request)).rejects.toMatchObject({ name: 'NotAllowedError' });
    await expect(createCredential(creation)).rejects.toMatchObject({ name: 'NotAllowedError' });
  });

  it('ends with the signal that it was given, and when another one opens', () => {
    answers = () => new Promise(() => undefined);
    const caller = new AbortController();
    void getAssertion(request, { signal: caller.signal });
    caller.abort();
    void getAssertion(request);
    void createCredential(creation, { signal: caller.signal });
    expect(dialogs.map(({ signal }) => signal?.aborted)).toEqual([true, true, true]);
    void getAssertion(request);
    expect(dialogs.at(-1)?.signal?.aborted).toBe(false);
  });
});
