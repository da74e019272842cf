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
