import type { UserRecord } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import { boundAccount, boundProfile, PROFILE_MAX } from './profile';

const PICTURE = `https://pictures.test/${'p'.repeat(40)}`;
const account = (profile: Partial<UserRecord>) =>
  boundAccount({ providerData: [], ...profile } as unknown as UserRecord);
const countBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

describe('a name', () => {
  test.each(['Mia Moreau', '山田 太郎', '\u0645\u062d\u0645\u062f', '👩‍👩‍👧‍👦 Family', 'x'.repeat(PROFILE_MAX.nameBytes)])(
    'stays: %s',
    (name) => {
      expect(account({ displayName: name })).toMatchObject({ displayName: name, exceedsBounds: false });
    },
  );

  test.each([
    ['three bytes each', '名'.repeat(256)],
    ['escaped in JSON', '\u0001'.repeat(256)],
    ['quotes', '"'.repeat(256)],
    ['pairs', '👍'.repeat(128)],
    ['joined pairs', '👩‍👩‍👧‍👦'.repeat(23)],
    ['one letter with many marks', `a${'\u0301'.repeat(255)}`],
    ['half of a pair', '\ud83d'.repeat(256)],
  ])('of the longest that the provider takes is cut: %s', (_what, name) => {
    const { displayName = '', exceedsBounds } = account({ displayName: name });
    expect(countBytes(displayName)).toBeLessThanOrEqual(PROFILE_MAX.nameBytes);
    expect(Buffer.from(displayName).toString()).toBe(displayName);
    expect(exceedsBounds).toBe(true);
  });

  test.each([
    ['NUL', 'Mia\0Moreau', 'Mia Moreau'],
    ['the end of a line of an email', 'Mia\r\nBcc: mallory@mallory.test\r\n', 'Mia Bcc: mallory@mallory.test'],
    ['line separators', '\u2028Mia\u2029Moreau', 'Mia Moreau'],
    ['directions', '\u202Eia\u2066 M\u200F', 'ia M'],
    ['nothing else', '\u0001\u202E', undefined],
  ])('loses %s', (_what, name, left) => {
    expect(account({ displayName: name })).toMatchObject({ displayName: left, exceedsBounds: true });
  });

  test('of as many characters as an operator can allow always fits', () => {
    const name = '\u{1e900}'.repeat(100);
    expect(account({ displayName: name })).toMatchObject({ displayName: name, exceedsBounds: false });
  });
});

describe('the address of a picture', () => {
  test('stays when it is short, and is left out when it is long or no address', () => {
    expect(account({ photoURL: PICTURE })).toMatchObject({ photoURL: PICTURE, exceedsBounds: false });
    const noAddresses = [
      ...[`https://a.test/${'p'.repeat(2_033)}`, 'https://a.test/名', 'https://a.test/ b'],
      ...['javascript:alert(1)', 'data:text/html,x', 'https://a.test/"><script>', '//a.test/b', 'https://a.test/\n'],
    ];
    for (const photoURL of noAddresses) {
      const bounded = account({ photoURL });
      expect([bounded.photoURL, bounded.exceedsBounds]).toEqual([undefined, true]);
    }
  });
});

test('what is missing stays missing', () => {
  expect(account({})).toMatchObject({ displayName: undefined, photoURL: undefined, exceedsBounds: false });
});

test('sign-in methods have the same bounds', () => {
  const method = { providerId: 'google.com', displayName: 'n'.repeat(9_999), photoURL: 'p'.repeat(9_999) };
  const [bounded] = account({ providerData: [method] as unknown as UserRecord['providerData'] }).providerData;
  expect(bounded).toEqual({ ...boundProfile(method), providerId: 'google.com' });
  expect(bounded?.displayName).toHaveLength(PROFILE_MAX.nameBytes);
});
