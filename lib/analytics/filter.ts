const added: RegExp[] = [];

/** Leaves more accounts out of analytics, from now on. @param patterns matched against the e-mail address */
export function addFilteredAccounts(...patterns: RegExp[]): void {
  added.push(...patterns);
}

/**
 * Whether an account stays out of analytics (specification, section 5): one without e-mail address, or a test account.
 * @param testMailbox internal mailbox whose plus-addressed forms (`name+anything@domain`) are test accounts
 */
export function isFilteredAccount(email: string | null | undefined, testMailbox: string): boolean {
  const address = email?.trim().toLowerCase();
  if (!address) return true;
  const [name = '', domain = ''] = testMailbox.toLowerCase().split('@');
  if (address.startsWith(`${name}+`) && address.endsWith(`@${domain}`)) return true;
  // A fresh expression each time: one marked global remembers where it stopped.
  return added.some(({ source, flags }) => new RegExp(source, flags.replace(/[gy]/g, '')).test(address));
}
