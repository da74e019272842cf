import { describe, expect, it } from 'vitest';
import { PASSKEY_NAME_MAX_LENGTH } from './passkeys';
import { passkeyName } from './passkey-name';

describe('passkeyName', () => {
  it.each(['My phone', 'Zoë’s phone', '👩‍👩‍👧 tablet', 'x'.repeat(PASSKEY_NAME_MAX_LENGTH)])('accepts %j', (name) => {
    expect(passkeyName.parse(` ${name} `)).toBe(name);
  });

  it.each(['', '   ', 'a\u0000b', 'a\nb', '\ud800', 'a\u202eb', 'a\u2068b', 'x'.repeat(PASSKEY_NAME_MAX_LENGTH + 1)])(
    'refuses %j',
    (name) => {
      expect(passkeyName.safeParse(name).success).toBe(false);
    },
  );
});
