/** A sign-in on a new browser that the owner has not said anything about. */
export type SignInToCheck = {
  /** Of its session, in the records. */
  id: string;
  /** RFC 3339 */
  at: string;
  browser: string | null;
  system: string | null;
};
