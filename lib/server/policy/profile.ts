import type { UserRecord } from 'firebase-admin/auth';
import type { StoredAccount } from './account';

/**
 * What a client can write about itself at the identity provider's public API, past this app: a name of 256 characters and the address of a
 * picture of 2,048. Whatever is read of an account has these bounds: the session cookie, the session status, claims of the OpenID Provider,
 * emails and the download of all data.
 */
export const PROFILE_MAX = {
  /** Of a name, in bytes of JSON: the longest that `NEXT_PUBLIC_NAME_LENGTH` allows, 100 characters of four bytes. */
  nameBytes: 400,
  /** Of the address of a picture, in characters: those of social providers have 300 at most. */
  pictureLength: 512,
} as const;

type Profile = { displayName?: string | undefined; photoURL?: string | undefined };

/**
 * Bounds the name and picture of an account, or of one of its sign-in methods. A name is cut between two characters; an address that is cut
 * leads nowhere, so a long one is left out. So is one that is not plain ASCII, as any address is that a browser has read.
 */
export function boundProfile<T extends Profile>(profile: T): T {
  const { displayName = '', photoURL = '' } = profile;
  const isPictureKept = photoURL.length <= PROFILE_MAX.pictureLength && /^[\x21-\x7e]+$/.test(photoURL);
  return {
    ...profile,
    displayName: cutToBytes(displayName, PROFILE_MAX.nameBytes) || undefined,
    photoURL: isPictureKept ? photoURL : undefined,
  };
}

/** Bounds an account as it comes from the identity provider. `exceedsBounds`: it has more there, and is cut at the next sign-in. */
export function boundAccount(user: Omit<UserRecord, 'toJSON'>): StoredAccount {
  const bounded = boundProfile(user);
  const isSame = (key: keyof Profile) => (user[key] ?? '') === (bounded[key] ?? '');
  return {
    ...bounded,
    providerData: user.providerData.map((method) => boundProfile(method)),
    exceedsBounds: !isSame('displayName') || !isSame('photoURL'),
  };
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function cutToBytes(text: string, maxBytes: number): string {
  // Never all of a long text: one grapheme can have any number of marks.
  const start = Buffer.from(text.slice(0, maxBytes)).toString();
  let [bytes, end] = [0, 0];
  for (const { segment, index } of graphemes.segment(start)) {
    bytes += Buffer.byteLength(JSON.stringify(segment)) - 2;
    if (bytes > maxBytes) break;
    end = index + segment.length;
  }
  return start.slice(0, end);
}
