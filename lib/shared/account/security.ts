import { SOCIAL_PROVIDERS, type SocialProviderId } from '../providers/social-providers';

/** A change of the account's sign-in methods; `unlink` by the identity provider's id. */
export type MethodChange = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** A sign-in method: its id at the identity provider, and the email it has for the user. */
export type LinkedMethod = {
  id: string;
  email: string | null;
  /** False for a method that the account still has, but that cannot sign in, such as of a disabled partner. */
  usable: boolean;
};

/** Account data shown on /security. */
export type AccountSecurity = {
  uid: string;
  email: string | null;
  emailVerified: boolean;
  /** Sign-in methods of the account. */
  methods: LinkedMethod[];
  /** Time of the last sign-in (RFC 3339); the calendar day depends on the reader's time zone. */
  lastSignIn: string | null;
};

/** Whether the owner can still sign in without a method. */
export function hasOtherUsableMethod(methods: readonly LinkedMethod[], id: string): boolean {
  return methods.some((method) => method.id !== id && method.usable);
}

/**
 * Whether a method can be linked, or unlinked: it is linked, and not the last one with which the owner can sign in.
 * @param id ours, to link
 */
export function canChangeMethod({ methods }: AccountSecurity, { kind, id }: MethodChange): boolean {
  const isLinked = methods.some((method) => method.id === (kind === 'link' ? SOCIAL_PROVIDERS[id].firebaseId : id));
  return kind === 'link' ? !isLinked : isLinked && hasOtherUsableMethod(methods, id);
}
