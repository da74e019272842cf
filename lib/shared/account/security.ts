import { SOCIAL_PROVIDERS, type SocialProviderId } from '../providers/social-providers';

/** A change of the account's sign-in methods; `unlink` by the identity provider's id. */
export type MethodChange = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** Account data shown on /security. */
export type AccountSecurity = {
  uid: string;
  email: string | null;
  emailVerified: boolean;
  /** Sign-in methods by the identity provider's ids, each with its email address. */
  methods: { id: string; email: string | null }[];
  /** Time of the last sign-in (RFC 3339); the calendar day depends on the reader's time zone. */
  lastSignIn: string | null;
};

/** Whether a method can be linked, or unlinked: it is linked, and not the last one. @param id ours, to link */
export function canChangeMethod({ methods }: AccountSecurity, { kind, id }: MethodChange): boolean {
  const isLinked = methods.some((method) => method.id === (kind === 'link' ? SOCIAL_PROVIDERS[id].firebaseId : id));
  return kind === 'link' ? !isLinked : isLinked && methods.length > 1;
}
