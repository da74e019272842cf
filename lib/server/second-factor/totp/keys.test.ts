// Threats: lost-factor-key
import { getKeyIds, openKey, sealKey, createSecret } from '.';
import { describe, expect, it } from 'vitest';
const [OLD = '', NEW = ''] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

describe('the key of an authenticator app', () => {
  it('opens for its account alone', async () => {
    const secret = createSecret();
    const sealed = await sealKey(secret, 'mia', [NEW]);
    expect(JSON.stringify(sealed)).not.toContain(Buffer.from(secret).toString('base64url'));
    expect(Buffer.from((await openKey(sealed, 'mia', [NEW])).secret)).toEqual(Buffer.from(secret));
    await expect(openKey(sealed, 'eve', [NEW])).rejects.toThrow();
  });

  it('is sealed again by the first secret when another one has sealed it', async () => {
    const secret = createSecret();
    const sealed = await sealKey(secret, 'mia', [OLD]);
    const { resealed } = await openKey(sealed, 'mia', [NEW, OLD]);
    expect(resealed?.keyId).toBe(getKeyIds([NEW])[0]);
    expect(Buffer.from((await openKey(resealed ?? sealed, 'mia', [NEW])).secret)).toEqual(Buffer.from(secret));
    await expect(openKey(sealed, 'mia', [NEW])).rejects.toThrow('SECOND_FACTOR_SECRET');
  });
});
