/** Tells password managers the account of a password; not rendered, so neither focused nor announced. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}
