import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { reportError } from '@/lib/shared/error-reporting/report';
import {
  type Account,
  type AccountFacts,
  type StoredAccount,
  isStorable,
  type ClaimsEdit,
  decideMailboxProof,
  getRefusedProofCode,
  type MailboxDecision,
  type MailboxProof,
  toProblem,
} from '@/lib/server/policy';
import {
  freezeAccount,
  getFirstEmail,
  changeJudgedAccount,
  readStored,
  retryWhileUnavailable,
  hasPasskey,
  toAccount,
} from '@/lib/server/identity';
import { type ChangeEmail, type EmailContext, getSignInMethods, sendChangeNotice } from '@/lib/server/notifications';
import {
  listPasskeys,
  type LockedAccount,
  recordEvent,
  removeForeignPasskeys,
  withAccountLock,
  withRecordsInTime,
} from '@/lib/server/storage';

type Accepted = Extract<MailboxDecision, { outcome: 'accept' }>;

type Proof = Omit<MailboxProof, 'setsPassword'>;

/**
 * Applies the account policy's decision after a user has proved the mailbox of an account.
 * @param account as read before redeeming a code that verifies the email at the provider
 * @param options `password`: the new password that was set with the proof; `name`: the name that the user has given with
 *   the proof; `locked`: the account, if the caller has locked it
 * @returns when the mailbox was proved. A sign-in that follows must end with every revocation after this time.
 * @throws ApiProblem `new-password-required`, `password-weak`, 503; if the account may not be proved or was deleted,
 *   `code-expired` for a typed code, otherwise `action-code-invalid`
 */
export async function proveMailbox(
  account: Account,
  proof: Proof,
  context: EmailContext,
  {
    password,
    name,
    locked = null,
  }: { password?: string | undefined; name?: string | undefined; locked?: LockedAccount | null } = {},
): Promise<Date> {
  try {
    const judged = { ...proof, setsPassword: password !== undefined };
    const told: { change: Told | null } = { change: null };
    // Retry all of it, because the account stays frozen for a time. If a change was made but its response was lost, the
    // retry records its event and emails.
    return await retryWhileUnavailable(() =>
      withAccountLock(locked ?? account.user.uid, (held) =>
        applyProof(held, account, judged, context, { password, name }, told),
      ),
    );
  } catch (error) {
    if (!isApiProblem(error) || !['user-deleted', 'email-taken', 'token-revoked'].includes(error.code)) throw error;
    throw new ApiProblem(getRefusedProofCode(proof), { cause: error });
  }
}

/** What the user has given with the proof. */
type Given = { password: string | undefined; name: string | undefined };

/** The change that the owner is notified of. */
type Told = Pick<Accepted, 'keep' | 'remove' | 'notice'> & { hadOtherEmail: boolean };

/**
 * @param told the first try's change. If it was made but its response was lost, the next try finds nothing to report
 */
async function applyProof(
  locked: LockedAccount,
  account: Account,
  proof: MailboxProof,
  context: EmailContext,
  given: Given,
  told: { change: Told | null },
): Promise<Date> {
  const { uid, email } = account.user;
  const { emailVerified } = account.facts;
  // Decide first, because an insufficient proof must not freeze the account.
  decide(account.facts, proof);
  // Freeze the account, so that the provider accepts no change of a client until ours is made. A client could link and
  // unlink providers of an unverified account at any time.
  if (!emailVerified) await freezeAccount(uid);
  // Read its current claims and methods, with the email that is being proved.
  const stored = await readStored(uid);
  if (stored === null) throw new ApiProblem('user-deleted');
  const present = await toAccount({ ...stored, email });
  const { user, facts } = present;
  // Use the verified flag from before the proof, because some links verify the email at the provider themselves.
  const decision = decide({ ...facts, emailVerified }, proof);
  const { keep, remove, notice, hadOtherEmail } = (told.change ??= { ...decision, hadOtherEmail: facts.hadOtherEmail });
  const withoutEmail: ClaimsEdit = { dropsLegacy: proof.setsPassword, dropsUnproved: true };
  const withEmail: ClaimsEdit = { ...withoutEmail, proved: email };
  // Only an account that had another email depends on the claim, because that email could be restored without it.
  const hasRoom = facts.hadOtherEmail || isStorable(user.customClaims, withEmail);
  const { client } = context;
  const tell = () =>
    notifyOwner(account.user, { keep, remove, notice, removesForeignPasskeys: decision.verify }, context);
  await applyDecision(locked, present, { ...decision, claims: hasRoom ? withEmail : withoutEmail, tell }, given);
  // Within the lock, and after our own revocation.
  const provedAt = new Date();
  if (decision.verify) recordEvent({ uid, kind: hadOtherEmail ? 'email-changed' : 'email-verified', client });
  if (proof.setsPassword) recordEvent({ uid, kind: 'password-reset', client });
  if (hadOtherEmail) await notifyFirstEmail(uid, context);
  return provedAt;
}

function decide(facts: AccountFacts, proof: MailboxProof): Accepted {
  const decision = decideMailboxProof(facts, proof);
  if (decision.outcome === 'new-password-required') throw new ApiProblem('new-password-required');
  if (decision.outcome === 'refuse') throw toProblem(decision);
  return decision;
}

/**
 * Applies everything in a single call, so that no failure or race leaves a verified email with methods that should be
 * removed.
 */
function applyDecision(
  locked: LockedAccount,
  account: Account,
  { remove, clearProfile, verify, revoke, claims, tell }: Accepted & { claims: ClaimsEdit; tell: () => Promise<void> },
  { password, name }: Given,
): Promise<void> {
  return changeJudgedAccount(locked, account, {
    // Second factors are not confirmed. On an unverified account, a third party may have added them.
    ...(verify && { removeSecondFactors: true }),
    ...(password !== undefined && { password }),
    removes: { methods: remove, tell },
    claims,
    provesEmail: true,
    ...(name === undefined ? { clearProfile } : { displayName: name, clearPicture: clearProfile }),
    ...(revoke && { revoke: password === undefined ? ('mailbox-proof' as const) : ('new-password' as const) }),
  });
}

/**
 * Notifies the first email's mailbox that the account has another email now, because its owner may not have made the
 * change.
 */
async function notifyFirstEmail(uid: string, context: EmailContext): Promise<void> {
  try {
    const firstEmail = await getFirstEmail(uid);
    if (firstEmail !== null) await sendChangeNotice({ uid, to: firstEmail }, { kind: 'email-changed' }, context);
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a changed email' });
  }
}

/**
 * The notification of a change. `removesForeignPasskeys`: passkeys of another email than the proved email are removed
 * in the transaction of the email.
 */
type Change = Pick<Accepted, 'keep' | 'remove'> & {
  notice: Exclude<ChangeEmail['kind'], 'support-change'> | null;
  removesForeignPasskeys?: boolean;
};

/**
 * Notifies the owner of a change. The change is already made, so an email that cannot be sent is reported but does not
 * fail the request.
 */
export async function notifyOwner(
  user: StoredAccount,
  { notice, keep, remove, removesForeignPasskeys = false }: Change,
  context: EmailContext,
): Promise<void> {
  const { uid, email } = user;
  if (!email) return;
  try {
    const own = email.toLowerCase();
    const foreign = removesForeignPasskeys && (await hasForeignPasskey(uid, own));
    const kind = notice ?? (foreign ? 'methods-removed' : null);
    if (kind === null || kind === 'email-changed') return;
    const all = (await hasPasskey(user)) ? [...keep, PASSKEY_METHOD] : keep;
    const [kept, removed] = await Promise.all([
      getSignInMethods(all),
      getSignInMethods(foreign ? [...remove, PASSKEY_METHOD] : remove),
    ]);
    await sendChangeNotice({ uid, to: email }, { kind, kept, removed }, context, async (tx, at) => {
      if (foreign) await removeForeignPasskeys(tx, { uid, at }, own);
    });
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a change' });
  }
}

/**
 * Whether the account has passkeys of another email. False if the database is unavailable, because they cannot sign in,
 * and the next proof removes them.
 */
async function hasForeignPasskey(uid: string, email: string): Promise<boolean> {
  const found = await nullOnProblem(withRecordsInTime((records) => listPasskeys(records, uid)));
  return found?.passkeys.some((passkey) => passkey.email !== email) ?? false;
}
