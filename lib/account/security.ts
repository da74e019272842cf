/** What /security shows of an account. */
export type AccountSecurity = {
  uid: string;
  email: string | null;
  emailVerified: boolean;
  /** Sign-in methods in the identity provider's ids, with the address each is known by. */
  methods: { id: string; email: string | null }[];
  /** Day of the last sign-in, for people to read (specification, section 9). */
  lastSignIn: string | null;
};
