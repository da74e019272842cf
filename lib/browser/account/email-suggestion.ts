import { PUBLIC_MAILBOXES } from '@/lib/shared/account/public-mailboxes';

/** A shorter name is one slip away from too many others. */
const LEAST_NAME_LENGTH = 5;
const PUBLIC_CANDIDATES = PUBLIC_MAILBOXES.filter((domain) => domain.indexOf('.') >= LEAST_NAME_LENGTH);

/**
 * Suggests a correction for a mistyped email address.
 * @param common domains among these learners, before those that are common everywhere
 * @returns the email address with the domain corrected, or null when nothing looks mistyped
 */
export function suggestEmail(email: string, common: readonly string[]): string | null {
  const [, local, domain] = /^([^@\s]+)@([^@\s]+)$/.exec(email.trim().toLowerCase()) ?? [];
  if (local === undefined || domain === undefined) return null;
  if (common.includes(domain) || PUBLIC_MAILBOXES.includes(domain)) return null;
  const meant = [...common, ...PUBLIC_CANDIDATES].find((candidate) => isOneSlipAway(domain, candidate));
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
