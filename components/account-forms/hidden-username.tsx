/** Tells password managers the account of a password; hidden and not focusable. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden tabIndex={-1} aria-hidden="true" />;
}
