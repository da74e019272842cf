import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { PASSKEY_SOURCES, type PasskeySource } from '@/lib/shared/account/passkeys';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { sealShort, unseal } from '@/lib/server/codes';

/**
 * What a challenge was made for. `sign-in`: any user with a passkey; `proof`: the signed-in user shows one again; `add`: a new
 * passkey of the signed-in user.
 */
type Ceremony =
  { kind: 'sign-in' } | { kind: 'proof'; uid: string } | { kind: 'add'; uid: string; source: PasskeySource };
type CeremonyKind = Ceremony['kind'];

/** Lifetime of a challenge, in seconds. */
export const CHALLENGE_TTL_SECONDS = 300;
/** WebAuthn Level 3, section 13.4.3: at least 16. */
const CHALLENGE_BYTES = 32;

/** A challenge, base64url, and the sealed token that the browser returns with the authenticator's response. */
type IssuedChallenge = { challenge: string; token: string };

type OpenedChallenge = { challenge: string; issuedAt: Date; expiresAt: Date; ceremony: Ceremony };

/**
 * Makes a challenge. The server stores nothing: the token says what it was made for, and only this server can open it. In the
 * response's body, not in a cookie: tabs must not replace each other's.
 */
export async function issueChallenge(ceremony: Ceremony, now = Date.now()): Promise<IssuedChallenge> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const exp = Math.floor(now / 1000) + CHALLENGE_TTL_SECONDS;
  return {
    challenge,
    token: await sealShort({ jti: challenge, mark: '', payload: { ...ceremony, at: String(now) }, exp }, getKeys()),
  };
}

/**
 * Opens the token of a challenge. That it is used only once is decided where it is spent (lib/server/storage/records/passkeys.ts).
 * @throws ApiProblem `passkey-challenge-expired`; `passkey-refused` for one that was made for something else
 */
export async function openChallenge<K extends CeremonyKind>(
  token: string,
  kind: K,
  now = Date.now(),
): Promise<OpenedChallenge & { ceremony: Extract<Ceremony, { kind: K }> }> {
  try {
    const { jti, payload, exp } = await unseal(token, getKeys(), now);
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
 * Whether a response was made in a frame of another site (WebAuthn Level 3, section 5.8.1). The library accepts `crossOrigin`
 * without `topOrigin`.
 * @param clientDataJson base64url; anything that cannot be read counts as cross-origin
 */
export function isCrossOrigin(clientDataJson: string): boolean {
  try {
    const { crossOrigin, topOrigin } = z.parse(schema, JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()));
    return crossOrigin === true || topOrigin !== undefined;
  } catch {
    return true;
  }
}
