import type { UserRecord } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import { LEGACY_CLAIM } from '../account-policy/legacy';
import { reportError } from '@/lib/shared/error-reporting/report';
import { PROVED_ADDRESS_CLAIM } from '../account-policy/account';
import { decideMailboxProof, type MailboxDecision, type MailboxProof } from '../account-policy/mailbox';
import { changeAccount, freezeAccount, getFirstEmail, type AccountChange } from '../identity-provider/identity-toolkit';
import { sendEmail, type EmailContext } from '../email';
import { forgetSessionsOfAccount } from '../session/session-state';
import { findById, getFacts } from './find';
import { getSignInMethods } from './sign-in-methods';

type Accepted = Extract<MailboxDecision, { outcome: 'accept' }>;
type Proof = Omit<MailboxProof, 'setsPassword'>;

/**
 * Applies the account policy's decision after a user has proved the mailbox of an account.
 * @param user as looked up before redeeming a code that verifies the email at the provider
 * @param password the new one that was set together with the proof
 * @throws ApiProblem `new-password-required`, `password-weak`, 503
 */
export async function proveMailbox(
  user: UserRecord,
  proof: Proof,
  context: EmailContext,
  password?: string,
): Promise<void> {
  const { email, emailVerified } = user;
  const setsPassword = password !== undefined;
  // Decide first: an insufficient proof must not freeze the account.
  await decide(user, { ...proof, setsPassword });
  const { present, hadOther } = emailVerified ? { present: user, hadOther: false } : await freeze(user);
  // Use the verified flag from before the proof: some links verify the email at the provider by themselves.
  const decision = await decide(present, { ...proof, setsPassword }, emailVerified);
  const claims = getNewClaims(present, { setsPassword, proved: hadOther ? email : undefined });
  await applyDecision(present, { ...decision, email, claims }, password);
  await tellOwner(user, decision, context);
}

async function decide(user: UserRecord, proof: MailboxProof, emailVerified = user.emailVerified): Promise<Accepted> {
  const decision = decideMailboxProof({ ...(await getFacts(user)), emailVerified }, proof);
  if (decision.outcome === 'new-password-required') throw new ApiProblem('new-password-required');
  return decision;
}

/**
 * Freezes an account so that it cannot change between lookup and update: a user signed in to an unverified account can
 * link and unlink providers and change its email at any time.
 */
async function freeze(user: UserRecord): Promise<{ present: UserRecord; hadOther: boolean }> {
  await freezeAccount(user.uid);
  const [present, first] = await Promise.all([findById(user.uid), getFirstEmail(user.uid)]);
  // Registrations are created under a domain without mailboxes (RFC 6761, section 6.4).
  const hadOther = first !== null && first !== user.email && !first.endsWith('.invalid');
  return { present: present ?? user, hadOther };
}

/**
 * Sets a password for a user who gave the current one: no mailbox is proved, and all methods are kept.
 * @throws ApiProblem `password-weak`, 503
 */
export async function replacePassword(user: UserRecord, password: string, context: EmailContext): Promise<void> {
  const keep = user.providerData.map(({ providerId }) => providerId);
  const decision: Accepted = { outcome: 'accept', keep, remove: [], clearProfile: false, verify: false, revoke: true, tell: 'password-changed' }; // prettier-ignore
  await applyDecision(user, { ...decision, claims: getNewClaims(user, { setsPassword: true }) }, password);
  await tellOwner(user, decision, context);
}

/**
 * Applies everything in one call, so that no failure or race leaves a verified email with methods that should be
 * removed.
 */
async function applyDecision(
  user: UserRecord,
  { remove, clearProfile, verify, revoke, email, claims }: Accepted & Pick<AccountChange, 'email' | 'claims'>,
  password?: string,
) {
  await changeAccount(user.uid, {
    // Second factors are not confirmed: on an unverified account a third party may have added them.
    ...(verify && { email, emailVerified: true, removeSecondFactors: true }),
    ...(password === undefined ? { removePassword: remove.includes('password') } : { password }),
    claims,
    unlink: remove.filter((id) => id !== 'password'),
    clearProfile,
    revoke,
  });
  forgetSessionsOfAccount(user.uid);
}

/**
 * The claims without the legacy mark once a password is set, and with the proved email if the account had another one;
 * undefined when they are unchanged.
 */
function getNewClaims(
  { customClaims = {} }: UserRecord,
  { setsPassword, proved }: { setsPassword: boolean; proved?: string | undefined },
): Record<string, unknown> | undefined {
  const dropsMark = setsPassword && LEGACY_CLAIM in customClaims;
  if (!dropsMark && proved === undefined) return undefined;
  const kept = Object.entries(customClaims).filter(([name]) => !(dropsMark && name === LEGACY_CLAIM));
  return { ...Object.fromEntries(kept), ...(proved !== undefined && { [PROVED_ADDRESS_CLAIM]: proved.toLowerCase() }) };
}

/** The change is already applied: an email that cannot be sent is reported, but must not fail the request. */
async function tellOwner(
  { email }: UserRecord,
  { tell, keep, remove }: Accepted,
  context: EmailContext,
): Promise<void> {
  if (!email || tell === null) return;
  try {
    const [kept, removed] = await Promise.all([getSignInMethods(keep), getSignInMethods(remove)]);
    await sendEmail(email, { kind: tell, kept, removed }, context);
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a change' });
  }
}
