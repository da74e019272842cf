import type { UserRecord } from 'firebase-admin/auth';
import type { StoredAccount } from './account';

/**
 * Bounds of a name and picture. At the identity provider's public API, a client can write a name of 256 characters and
 * a picture URL of 2,048, past this app. Every reader gets bounded values: session cookie, session status, OIDC claims,
 * emails and the data download.
 */
export const PROFILE_MAX = {
  /**
   * Bytes of a name in JSON. This fits the longest name that `NEXT_PUBLIC_NAME_LENGTH` allows: 100 characters of four
   * bytes.
   */
  nameBytes: 400,
  /** Characters of a picture URL. Social providers use 300 at most. */
  pictureLength: 512,
} as const;

type Profile = { displayName?: string | undefined; photoURL?: string | undefined };

/**
 * An HTTP URL of the characters that RFC 3986, section 2, allows. Other characters could change the meaning of a page
 * or an email.
 */
const PICTURE = /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/**
 * Bounds the name and picture of an account or sign-in method. A name is cut between two graphemes and loses control
 * characters and line ends. A long picture URL is removed, because a cut URL is useless. So is a URL with another
 * scheme, such as `javascript:`.
 */
export function boundProfile<T extends Profile>(profile: T): T {
  const { displayName = '', photoURL = '' } = profile;
  const isPictureKept = photoURL.length <= PROFILE_MAX.pictureLength && PICTURE.test(photoURL);
  return {
    ...profile,
    displayName: cutToBytes(dropControls(displayName), PROFILE_MAX.nameBytes) || undefined,
    photoURL: isPictureKept ? photoURL : undefined,
  };
}

/**
 * Bounds an account from the identity provider. `exceedsBounds`: its name or picture there is longer, and is shortened
 * at the next sign-in.
 */
export function boundAccount(user: Omit<UserRecord, 'toJSON'>): StoredAccount {
  const bounded = boundProfile(user);
  const isSame = (key: keyof Profile) => (user[key] ?? '') === (bounded[key] ?? '');
  return {
    ...bounded,
    providerData: user.providerData.map((method) => boundProfile(method)),
    exceedsBounds: !isSame('displayName') || !isSame('photoURL'),
  };
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * Also drops bidirectional controls, which would reorder the text after a name. Our own form refuses both
 * (`createNameField`).
 */
function dropControls(name: string): string {
  const plain = name.replaceAll(/\p{Bidi_Control}/gu, '').replaceAll(CONTROLS, ' ');
  return plain === name ? name : plain.trim();
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function cutToBytes(text: string, maxBytes: number): string {
  // Segment only the start of the text, because a single grapheme can have any number of marks.
  const start = Buffer.from(text.slice(0, maxBytes)).toString();
  let [bytes, end] = [0, 0];
  for (const { segment, index } of graphemes.segment(start)) {
    bytes += Buffer.byteLength(JSON.stringify(segment)) - 2;
    if (bytes > maxBytes) break;
    end = index + segment.length;
  }
  return start.slice(0, end);
}
