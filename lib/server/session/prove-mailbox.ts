import { ApiProblem, isApiProblem, nullOnProblem, type ProblemCode } from '@/lib/shared/problem';
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
  toProblem,
} from '@/lib/server/policy';
import {
  freezeAccount,
  getFirstEmail,
  withAccountLock,
  changeJudgedAccount,
  findById,
  retryWhileUnavailable,
  hasPasskey,
} from '@/lib/server/identity';
import { type ChangeEmail, type EmailContext, getSignInMethods, sendChangeNotice } from '@/lib/server/notifications';
import { hasRecords, listPasskeys, recordEvent, removeForeignPasskeys, withRecordsInTime } from '@/lib/server/storage';

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
  const { client } = context;
  const tell = () =>
    notifyOwner(account.user, { keep, remove, notice, removesForeignPasskeys: decision.verify }, context);
  await applyDecision(present, { ...decision, claims: hasRoom ? withEmail : withoutEmail, tell }, password);
  if (decision.verify) recordEvent({ uid, kind: hadOtherEmail ? 'email-changed' : 'email-verified', client });
  if (proof.setsPassword) recordEvent({ uid, kind: 'password-reset', client });
  if (hadOtherEmail) await notifyFirstEmail(uid, context);
}

function decide(facts: AccountFacts, proof: MailboxProof): Accepted {
  const decision = decideMailboxProof(facts, proof);
  if (decision.outcome === 'new-password-required') throw new ApiProblem('new-password-required');
  if (decision.outcome === 'refuse') throw toProblem({ code: getRefusal(proof), rule: decision.rule });
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
  { remove, clearProfile, verify, revoke, claims, tell }: Accepted & { claims: ClaimsEdit; tell: () => Promise<void> },
  password?: string,
): Promise<void> {
  return changeJudgedAccount(account, {
    // Second factors are not confirmed: on an unverified account a third party may have added them.
    ...(verify && { removeSecondFactors: true }),
    ...(password !== undefined && { password }),
    removes: { methods: remove, tell },
    claims,
    provesEmail: true,
    clearProfile,
    revoke,
  });
}

/** Tells the mailbox of the first email that the account has another one: its owner may not have changed it. */
async function notifyFirstEmail(uid: string, context: EmailContext): Promise<void> {
  try {
    const firstEmail = await getFirstEmail(uid);
    if (firstEmail !== null) await sendChangeNotice({ uid, to: firstEmail }, { kind: 'email-changed' }, context);
  } catch (error) {
    reportError(error, { during: 'notifying the owner of a changed email' });
  }
}

/** What is told of a change. `removesForeignPasskeys`: those of another email than the one that was proved go, in the transaction of the email. */
type Change = Pick<Accepted, 'keep' | 'remove'> & {
  notice: ChangeEmail['kind'] | null;
  removesForeignPasskeys?: boolean;
};

/** The change is already applied: an email that cannot be sent is reported, but must not fail the request. */
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

/** False while the database is away: no one signs in with them, and the next proof removes them. */
async function hasForeignPasskey(uid: string, email: string): Promise<boolean> {
  if (!hasRecords()) return false;
  const found = await nullOnProblem(withRecordsInTime((records) => listPasskeys(records, uid)));
  return found?.passkeys.some((passkey) => passkey.email !== email) ?? false;
}
