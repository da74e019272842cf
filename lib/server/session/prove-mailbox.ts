import { randomUUID } from 'node:crypto';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { reportError } from '@/lib/shared/error-reporting/report';
import {
  type Account,
  type AccountFacts,
  type StoredAccount,
  isStorable,
  type ClaimsEdit,
  decideMailboxProof,
  type MailboxDecision,
  type MailboxProof,
} from '@/lib/server/policy';
import {
  freezeAccount,
  getFirstEmail,
  withAccountLock,
  changeJudgedAccount,
  findById,
  removePasskeysInBackground,
  retryWhileUnavailable,
  hasPasskey,
} from '@/lib/server/identity';
import { finishBeforeExit } from '@/lib/server/http';
import {
  addNotice,
  type ChangeEmail,
  type EmailContext,
  getSignInMethods,
  sendUnwritten,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import { recordEvent, withRecords, writeAboutAccount } from '@/lib/server/storage';
import { timeLimit } from '@/lib/shared/time-limit';

type Accepted = Extract<MailboxDecision, { outcome: 'accept' }>;

type Proof = Omit<MailboxProof, 'setsPassword'>;

/**
 * Applies the account policy's decision after a user has proved the mailbox of an account.
 * @param account as looked up before redeeming a code that verifies the email at the provider
 * @param password the new one that was set together with the proof
 * @throws ApiProblem `new-password-required`, `password-weak`, 503; for an account that may not be proved, or is deleted
 *   meanwhile, `code-expired` if a code was typed, otherwise `action-code-invalid`
 */
export async function proveMailbox(
  account: Account,
  proof: Proof,
  context: EmailContext,
  password?: string,
): Promise<void> {
  try {
    const judged = { ...proof, setsPassword: password !== undefined };
    const told: { change: Told | null } = { change: null };
    // All of it: what a change is about is frozen for a time. One that was carried out, and its answer lost, has its event and emails then.
    await retryWhileUnavailable(() =>
      withAccountLock(account.user.uid, () => applyProof(account, judged, context, password, told)),
    );
  } catch (error) {
    if (!isApiProblem(error) || !['user-deleted', 'email-taken', 'token-revoked'].includes(error.code)) throw error;
    throw new ApiProblem(getRefusal(proof), { cause: error });
  }
}

/** What the owner is told about a change. */
type Told = Pick<Accepted, 'keep' | 'remove' | 'notice'> & { hadOtherEmail: boolean };

/** @param told of the first try: one that was carried out, and its answer lost, has left nothing to tell to the next */
async function applyProof(
  account: Account,
  proof: MailboxProof,
  context: EmailContext,
  password: string | undefined,
  told: { change: Told | null },
): Promise<void> {
  const { uid, email } = account.user;
  const { emailVerified } = account.facts;
  // Decide first: an insufficient proof must not freeze the account.
  decide(account.facts, proof);
  // Until the change, the provider accepts none of a client: it could link and unlink providers of an unverified account at any time.
  if (!emailVerified) await freezeAccount(uid);
  // Its present claims and methods, with the email that is being proved.
  const present = await findById(uid, email);
  if (present === null) throw new ApiProblem('user-deleted');
  const { user, facts } = present;
  // Use the verified flag from before the proof: some links verify the email at the provider by themselves.
  const decision = decide({ ...facts, emailVerified }, proof);
  const { keep, remove, notice, hadOtherEmail } = (told.change ??= { ...decision, hadOtherEmail: facts.hadOtherEmail });
  const withoutEmail: ClaimsEdit = { dropsLegacy: proof.setsPassword, isUnproved: false };
  const withEmail: ClaimsEdit = { ...withoutEmail, proved: email };
  // Only an account that had another email depends on the claim: without it, that one could be restored.
  const hasRoom = facts.hadOtherEmail || isStorable(user.customClaims, withEmail);
  await applyDecision(present, { ...decision, claims: hasRoom ? withEmail : withoutEmail }, password);
  const { client } = context;
  // Not the owner's, of before: those with another email do not sign in (lib/server/identity/find.ts).
  if (decision.verify) removePasskeysInBackground(uid);
  if (decision.verify) recordEvent({ uid, kind: hadOtherEmail ? 'email-changed' : 'email-verified', client });
  if (proof.setsPassword) recordEvent({ uid, kind: 'password-reset', client });
  await notifyOwner(account.user, { keep, remove, notice }, context);
  if (hadOtherEmail) await notifyFirstEmail(uid, context);
}

function decide(facts: AccountFacts, proof: MailboxProof): Accepted {
  const decision = decideMailboxProof(facts, proof);
  if (decision.outcome === 'new-password-required') throw new ApiProblem('new-password-required');
  if (decision.outcome === 'refuse') throw new ApiProblem(getRefusal(proof));
  return decision;
}

function getRefusal({ by }: Pick<MailboxProof, 'by'>): ProblemCode {
  return by === 'code' || by === 'reset-code' ? 'code-expired' : 'action-code-invalid';
}

/**
 * Applies everything in one call, so that no failure or race leaves a verified email with methods that should be
 * removed.
 */
function applyDecision(
  account: Account,
  { remove, clearProfile, verify, revoke, claims }: Accepted & { claims: ClaimsEdit },
  password?: string,
): Promise<void> {
  return changeJudgedAccount(account, {
    // Second factors are not confirmed: on an unverified account a third party may have added them.
    ...(verify && { removeSecondFactors: true }),
    ...(password === undefined ? { removePassword: remove.includes('password') } : { password }),
    claims,
    provesEmail: true,
    unlink: remove.filter((id) => id !== 'password'),
    clearProfile,
    revoke,
  });
}

/** Most emails are written, or handed over, within a second; other changes of the account wait for this one. */
const EMAIL_WAIT_MS = 5_000;

/**
 * Leaves an email about a change that was made to the outbox, which does not lose it. Without the database it is sent at once. The account's
 * lock waits for either only so long: then it goes on behind the request.
 */
async function tell(uid: string, to: string, email: ChangeEmail, context: EmailContext): Promise<void> {
  const at = new Date();
  const body = { channel: 'email', to, email, brand: toNoticeBrand(context) } as const;
  const notice = { id: randomUUID(), uid, key: at.toISOString(), body };
  const write = () => withRecords((records) => writeAboutAccount(records, { uid, at }, (tx) => addNotice(tx, notice)));
  // Once more: where the answer alone was lost, it is there, and another process may have sent it. Not after a time: the database may write it
  // late, and it would be sent twice.
  const told = write()
    .catch(write)
    .then(wakeOutbox, (error: unknown) => {
      if (!isApiProblem(error)) reportError(error, { during: 'writing an email about a change' });
      return sendUnwritten(notice.id, to, email, context);
    });
  finishBeforeExit(told);
  const late = new Promise<void>((resolve) => void setTimeout(resolve, timeLimit(EMAIL_WAIT_MS)).unref());
  await Promise.race([told, late]);
}

/** Tells the mailbox of the first email that the account has another one: its owner may not have changed it. */
async function notifyFirstEmail(uid: string, context: EmailContext): Promise<void> {
  try {
    const firstEmail = await getFirstEmail(uid);
    if (firstEmail !== null) await tell(uid, firstEmail, { kind: 'email-changed' }, context);
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a changed email' });
  }
}

/** The change is already applied: an email that cannot be sent is reported, but must not fail the request. */
export async function notifyOwner(
  user: StoredAccount,
  { notice, keep, remove }: Pick<Accepted, 'keep' | 'remove'> & { notice: Accepted['notice'] | 'method-removed' },
  context: EmailContext,
): Promise<void> {
  const { uid, email } = user;
  if (!email || notice === null) return;
  try {
    const all = (await hasPasskey(user)) ? [...keep, PASSKEY_METHOD] : keep;
    const [kept, removed] = await Promise.all([getSignInMethods(all), getSignInMethods(remove)]);
    await tell(uid, email, { kind: notice, kept, removed }, context);
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a change' });
  }
}
