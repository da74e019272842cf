const added: RegExp[] = [];

/** Excludes more accounts from analytics from now on. @param patterns matched against the email address */
export function addFilteredAccounts(...patterns: RegExp[]): void {
  added.push(...patterns);
}

/**
 * Whether an account is excluded from analytics (docs/product.md#validation): one without an email address, or a test
 * account.
 * @param testMailbox internal mailbox whose plus-addressed forms (`name+anything@domain`) are test accounts
 */
export function isFilteredAccount(email: string | null | undefined, testMailbox: string): boolean {
  const address = email?.trim().toLowerCase();
  if (!address) return true;
  const [name = '', domain = ''] = testMailbox.toLowerCase().split('@');
  if (address.startsWith(`${name}+`) && address.endsWith(`@${domain}`)) return true;
  // Create a new expression each time: a global or sticky one keeps its `lastIndex`.
  return added.some(({ source, flags }) => new RegExp(source, flags.replace(/[gy]/g, '')).test(address));
}
