import { isoCBOR } from '@simplewebauthn/server/helpers';
import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';

/** Flags of authenticator data (WebAuthn Level 3, section 6.1). */
const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40 } as const;
export type Flag = keyof typeof FLAGS;

type Key = { id: string; userHandle: string; privateKey: KeyObject; counter: number };

/** Deviations of a forged response. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  userHandle?: string | null;
  counter?: number;
  flags?: readonly Flag[];
  /** Signs with another key. */
  forgesSignature?: boolean;
  /** Attestation statement of a format that contains addresses. */
  statement?: Map<string, unknown>;
  /** COSE algorithm in the key itself. */
  algorithm?: number;
  /** Length of the id in the authenticator data, in bytes. The response itself has another id. */
  idLength?: number;
};

type CreationOptions = { challenge: string; rp: { id?: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId?: string; allowCredentials?: { id: string }[] };

const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

/** An authenticator with ES256 keys that makes genuine and forged responses. */
export class SoftwareAuthenticator {
  readonly keys: Key[] = [];

  /** @param isSynced whether its keys are backed up; their counters then stay 0 */
  constructor(
    readonly isSynced = true,
    readonly aaguid = 'd548826e-79b4-db40-a3d8-11116f7e8349',
  ) {}

  /** Creates a key. @returns the response as a browser serializes it */
  create({ challenge, rp, user }: CreationOptions, forgery: Forgery = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const id = randomBytes(16);
    const attestedId = forgery.idLength === undefined ? id : randomBytes(forgery.idLength);
    this.keys.push({ id: encode(id), userHandle: user.id, privateKey, counter: 0 });
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, forgery.algorithm ?? -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const attested = [
      Buffer.from(this.aaguid.replaceAll('-', ''), 'hex'),
      Buffer.from([attestedId.length >> 8, attestedId.length & 0xff]),
      attestedId,
      isoCBOR.encode(cose),
    ];
    const authData = Buffer.concat([this.#head(rp.id ?? '', forgery, ['at']), ...attested]);
    const attestation = new Map<string, unknown>([
      ['fmt', forgery.statement ? 'android-key' : 'none'],
      ['attStmt', forgery.statement ?? new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      ...toCredential(encode(id)),
      response: {
        clientDataJSON: toClientData('webauthn.create', challenge, forgery),
        attestationObject: encode(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0])),
        transports: ['internal', 'hybrid', 'a-future-one'],
      },
    };
  }

  /** Signs a challenge with the newest allowed key. @returns the response as a browser serializes it */
  get({ challenge, rpId = '', allowCredentials }: RequestOptions, forgery: Forgery = {}) {
    const isAllowed = ({ id }: Key) => allowCredentials?.some((allowed) => allowed.id === id) ?? true;
    const key = this.keys.findLast(isAllowed);
    if (!key) throw new Error('This authenticator has no such key');
    if (!this.isSynced) key.counter += 1;
    const authData = this.#head(rpId, { counter: key.counter, ...forgery });
    const clientDataJSON = toClientData('webauthn.get', challenge, forgery);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const other = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const signature = createSign('sha256')
      .update(signed)
      .sign(forgery.forgesSignature ? other() : key.privateKey);
    const userHandle = forgery.userHandle === undefined ? key.userHandle : forgery.userHandle;
    return {
      ...toCredential(key.id),
      response: { clientDataJSON, authenticatorData: encode(authData), signature: encode(signature), userHandle },
    };
  }

  #head(rpId: string, forgery: Forgery, more: readonly Flag[] = []): Buffer {
    const own: readonly Flag[] = this.isSynced ? ['up', 'uv', 'be', 'bs'] : ['up', 'uv'];
    const bits = [...(forgery.flags ?? own), ...more].reduce((sum, name) => sum | FLAGS[name], 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(forgery.counter ?? 0);
    return Buffer.concat([sha256(forgery.rpId ?? rpId), Buffer.from([bits]), counter]);
  }
}

function toCredential(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' };
}

function toClientData(type: string, challenge: string, forgery: Forgery): string {
  const { origin = 'http://localhost:3000', crossOrigin = false, topOrigin } = forgery;
  const clientData = {
    type: forgery.type ?? type,
    challenge: forgery.challenge ?? challenge,
    origin,
    crossOrigin,
    topOrigin,
  };
  return encode(JSON.stringify(clientData));
}
