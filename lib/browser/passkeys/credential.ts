import { askForPasskey, decode, takeTurn, toDescriptor, type AssertionRequest } from './dialog';

/**
 * Responses of authenticators in the server's format (WebAuthn Level 3, sections 5.1.8 and 5.2), without the members
 * that the server drops.
 */
type CredentialJson<Response> = {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment?: string;
  response: Response;
};
export type AssertionJson = CredentialJson<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;
export type AttestationJson = CredentialJson<{
  clientDataJSON: string;
  attestationObject: string;
  transports: string[];
}>;

type CreationRequest = { mediation?: 'conditional'; signal?: AbortSignal };

/**
 * Requests a passkey by a dialog of the browser.
 * @throws DOMException of WebAuthn Level 3, section 5.1.4; `NotAllowedError` also if no passkey was chosen
 */
export const getAssertion = async (
  options: PublicKeyCredentialRequestOptionsJSON,
  request: AssertionRequest = {},
): Promise<AssertionJson> => readAssertion(await askForPasskey(options, request));

/** Reads the chosen passkey. @throws `NotAllowedError` (DOMException) for null, because no passkey was chosen */
export function readAssertion(found: Credential | null): AssertionJson {
  const { credential, response } = open<AuthenticatorAssertionResponse>(found);
  const userHandle = read(() => response.userHandle);
  return {
    ...credential,
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      authenticatorData: encode(response.authenticatorData),
      signature: encode(response.signature),
      ...(userHandle && { userHandle: encode(userHandle) }),
    },
  };
}

/**
 * Creates a passkey.
 * @throws DOMException of WebAuthn Level 3, section 5.1.3; `NotAllowedError` also if no passkey was created
 */
export async function createCredential(
  options: PublicKeyCredentialCreationOptionsJSON,
  { signal, ...request }: CreationRequest = {},
): Promise<AttestationJson> {
  const publicKey = {
    ...options,
    challenge: decode(options.challenge),
    user: { ...options.user, id: decode(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map(toDescriptor),
  } as PublicKeyCredentialCreationOptions;
  const creation: CredentialCreationOptions & CreationRequest = { ...request, publicKey, signal: takeTurn(signal) };
  const { credential, response } = open<AuthenticatorAttestationResponse>(await navigator.credentials.create(creation));
  const transports: unknown = read(() => response.getTransports());
  return {
    ...credential,
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      attestationObject: encode(response.attestationObject),
      transports: Array.isArray(transports) ? transports.filter((name) => typeof name === 'string') : [],
    },
  };
}

/**
 * Reads the members of a credential. Password managers return their own objects, whose methods may be missing or throw.
 * So `toJSON` is never called, and unreadable members that the server does not need are omitted.
 */
function open<Response>(found: Credential | null) {
  if (found === null) throw new DOMException('No passkey was chosen', 'NotAllowedError');
  const given = found as PublicKeyCredential;
  const rawId = read(() => given.rawId);
  const id = rawId ? encode(rawId) : given.id;
  const attachment: unknown = read(() => given.authenticatorAttachment);
  return {
    credential: {
      id,
      rawId: id,
      type: 'public-key' as const,
      ...(typeof attachment === 'string' && { authenticatorAttachment: attachment }),
    },
    response: given.response as Response,
  };
}

function read<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

function encode(source: ArrayBuffer | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
