/**
 * Offers the address that was probably meant.
 * @param domains mailbox domains that are common among these learners; configuration, not code
 * @returns the address with a mistyped domain put right, or null when nothing looks mistyped
 */
export function suggestEmail(email: string, domains: readonly string[]): string | null {
  const [, local, domain] = /^([^@\s]+)@([^@\s]+)$/.exec(email.trim().toLowerCase()) ?? [];
  if (local === undefined || domain === undefined || domains.includes(domain)) return null;
  const meant = domains.find((candidate) => isOneSlipAway(domain, candidate));
  return meant === undefined ? null : `${email.trim().slice(0, local.length)}@${meant}`;
}

/** One letter added, missing, changed, or two neighbours swapped. */
function isOneSlipAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  const swapped =
    restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return swapped || restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
}
