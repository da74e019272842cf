import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import * as z from 'zod/mini';

// Bodies of the ceremonies, as `PublicKeyCredential.toJSON()` gives them (WebAuthn Level 3, section 5.1.8). Members that are not
// used are dropped: their names and number are the browser's.

const MAX_LENGTH = 4_096;
/** A credential id has at most 1,023 bytes (WebAuthn Level 3, section 4). */
const MAX_ID_LENGTH = 1_364;

const base64url = z.string().check(z.regex(/^[\w-]+$/), z.maxLength(MAX_LENGTH));
const credentialId = z.string().check(z.regex(/^[\w-]+$/), z.maxLength(MAX_ID_LENGTH));
const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.nullish(z.string().check(z.maxLength(64))),
};

export const challengeToken = z.string().check(z.minLength(1), z.maxLength(2_048));

const assertionSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.nullish(base64url),
  }),
});
export const assertionBody = z.object({ challenge: challengeToken, response: assertionSchema });
export type Assertion = z.output<typeof assertionSchema>;

const attestationSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: z.string().check(z.regex(/^[\w-]+$/), z.maxLength(12_000)),
    /** Unknown ones are kept, too: the browser understands them. */
    transports: z._default(z.array(z.string().check(z.regex(/^[\w.:-]{1,32}$/))).check(z.maxLength(10)), []),
  }),
});
export const attestationBody = z.object({ challenge: challengeToken, response: attestationSchema });
export type Attestation = z.output<typeof attestationSchema>;

/** The same for the library. Extensions are not asked for. */
export function toAssertionJson({ response, ...credential }: Assertion): AuthenticationResponseJSON {
  return {
    ...credential,
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    response: { ...response, userHandle: response.userHandle ?? undefined },
  };
}

type CborValue = Parameters<typeof isoCBOR.encode>[0];

/**
 * Without the attestation statement, which is not asked for: of some formats the library fetches revocation lists from addresses
 * that the statement names.
 * @throws Error for an attestation object that cannot be read
 */
export function toAttestationJson({ response, ...credential }: Attestation): RegistrationResponseJSON {
  const { clientDataJSON, attestationObject } = response;
  const given = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const bare = new Map<string, CborValue>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', given.get('authData')],
  ]);
  const encoded = Buffer.from(isoCBOR.encode(bare)).toString('base64url');
  return {
    ...credential,
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject: encoded, transports: [] },
  };
}
