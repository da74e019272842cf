/**
 * Suggests a correction for a mistyped email address.
 * @param domains email domains common among these learners; configuration, not code
 * @returns the email address with the domain corrected, or null when nothing looks mistyped
 */
export function suggestEmail(email: string, domains: readonly string[]): string | null {
  const [, local, domain] = /^([^@\s]+)@([^@\s]+)$/.exec(email.trim().toLowerCase()) ?? [];
  if (local === undefined || domain === undefined || domains.includes(domain)) return null;
  const meant = domains.find((candidate) => isOneSlipAway(domain, candidate));
  return meant === undefined ? null : `${email.trim().slice(0, local.length)}@${meant}`;
}

/** One character added, missing, changed, or two neighbors swapped. */
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
