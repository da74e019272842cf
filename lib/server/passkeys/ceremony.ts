import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import * as z from 'zod/mini';
import { randomBytes } from 'node:crypto';
import { sealShort, unseal } from '@/lib/server/codes';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { PASSKEY_SOURCES, type PasskeySource } from '@/lib/shared/account/passkeys';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';

/**
 * The purpose of a challenge. `sign-in`: any user with a passkey signs in. `proof`: the signed-in user shows a passkey
 * again. `add`: the signed-in user adds a passkey.
 */
type Ceremony =
  | { kind: 'sign-in' }
  | { kind: 'proof'; uid: string }
  | { kind: 'add'; uid: string; source: PasskeySource };
type CeremonyKind = Ceremony['kind'];

/** Lifetime of a challenge, in seconds. */
export const CHALLENGE_TTL_SECONDS = 300;
/** WebAuthn Level 3, section 13.4.3, requires at least 16. */
const CHALLENGE_BYTES = 32;

/** A challenge, base64url, and the sealed token that the browser returns with the authenticator's response. */
type IssuedChallenge = { challenge: string; token: string };

type OpenedChallenge = { challenge: string; issuedAt: Date; expiresAt: Date; ceremony: Ceremony };

/**
 * Creates a challenge. The server stores nothing, because the sealed token contains the purpose. The token is in the
 * response body and not in a cookie, so that tabs do not overwrite each other's token.
 */
export async function issueCeremonyChallenge(ceremony: Ceremony): Promise<IssuedChallenge> {
  const now = Date.now();
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const exp = Math.floor(now / 1000) + CHALLENGE_TTL_SECONDS;
  return {
    challenge,
    token: await sealShort({ jti: challenge, mark: '', payload: { ...ceremony, at: String(now) }, exp }, getKeys()),
  };
}

/**
 * Opens the token of a challenge. The transaction that redeems it ensures single use
 * (lib/server/storage/records/passkeys.ts).
 * @throws ApiProblem `passkey-challenge-expired`, or `passkey-refused` if it was made for another purpose
 */
export async function openChallenge<K extends CeremonyKind>(
  token: string,
  kind: K,
): Promise<OpenedChallenge & { ceremony: Extract<Ceremony, { kind: K }> }> {
  try {
    const { jti, payload, exp } = await unseal(token, getKeys());
    const ceremony = toCeremony(payload);
    if (ceremony?.kind !== kind) throw new ApiProblem('passkey-refused');
    const issuedAt = new Date(Number(payload.at));
    return {
      challenge: jti,
      issuedAt,
      expiresAt: new Date(exp * 1000),
      ceremony: ceremony as Extract<Ceremony, { kind: K }>,
    };
  } catch (error) {
    const isExpired = isApiProblem(error) && error.code === 'code-expired';
    throw new ApiProblem(isExpired ? 'passkey-challenge-expired' : 'passkey-refused', { cause: error });
  }
}

function toCeremony({ kind, uid = '', source }: Record<string, string>): Ceremony | null {
  if (kind === 'sign-in') return { kind };
  if (kind === 'proof') return { kind, uid };
  const known = PASSKEY_SOURCES.find((name) => name === source);
  return kind === 'add' && known !== undefined ? { kind, uid, source: known } : null;
}

function getKeys(): Uint8Array[] {
  return getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'passkey-challenge');
}

const schema = z.object({ crossOrigin: z.optional(z.boolean()), topOrigin: z.optional(z.string()) });

/**
 * Whether a response was made in a frame of another site (WebAuthn Level 3, section 5.8.1). The library accepts
 * `crossOrigin` without `topOrigin`.
 * @param clientDataJson base64url; unreadable data counts as cross-origin
 */
export function isCrossOrigin(clientDataJson: string): boolean {
  try {
    const { crossOrigin, topOrigin } = z.parse(schema, JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()));
    return crossOrigin === true || topOrigin !== undefined;
  } catch {
    return true;
  }
}

// Limits of the ceremonies' bodies, which have the form of `PublicKeyCredential.toJSON()` (WebAuthn Level 3, section
// 5.1.8). The schemas drop unused members, because browsers choose their names and number.

const MAX_LENGTH = 4_096;
/** Base64url of a credential id, which has at most 1,023 bytes (WebAuthn Level 3, section 4). */
const MAX_ID_LENGTH = 1_364;

const base64url = z.string().check(z.regex(/^[\w-]+$/), z.maxLength(MAX_LENGTH));
const credentialId = z.string().check(z.regex(/^[\w-]+$/), z.maxLength(MAX_ID_LENGTH));
const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.nullish(z.string().check(z.maxLength(64))),
};

const challengeToken = z.string().check(z.minLength(1), z.maxLength(2_048));

const assertionSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    /** Some authenticators send an empty string instead of omitting it. */
    userHandle: z.nullish(z.string().check(z.regex(/^[\w-]*$/), z.maxLength(MAX_LENGTH))),
  }),
});
export const assertionBody = z.object({ challenge: challengeToken, response: assertionSchema });
export type Assertion = z.output<typeof assertionSchema>;

const attestationSchema = z.object({
  ...common,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: z.string().check(z.regex(/^[\w-]+$/), z.maxLength(12_000)),
    /** Keep unknown transports, because the browser understands them. */
    transports: z._default(z.array(z.string().check(z.regex(/^[\w.:-]{1,32}$/))).check(z.maxLength(10)), []),
  }),
});
export const attestationBody = z.object({ challenge: challengeToken, response: attestationSchema });
export type Attestation = z.output<typeof attestationSchema>;

/** Converts an assertion for the library. We request no extensions. */
export function toAssertionJson({ response, ...credential }: Assertion): AuthenticationResponseJSON {
  return {
    ...credential,
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    response: { ...response, userHandle: response.userHandle || undefined },
  };
}

type CborValue = Parameters<typeof isoCBOR.encode>[0];

/**
 * Converts an attestation for the library, without the attestation statement, which we do not request. For some
 * formats, the library would fetch revocation lists from URLs in the statement.
 * @throws Error if the attestation object cannot be read
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
