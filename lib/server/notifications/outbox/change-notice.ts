import { randomUUID } from 'node:crypto';
import { finishBeforeExit } from '@/lib/server/http';
import { log } from '@/lib/server/runtime';
import { consumeLimit, type NoticeBrand, type Tx, withRecords, writeAboutAccount } from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { timeLimit } from '@/lib/shared/time-limit';
import type { EmailContext } from '../email';
import type { ChangeEmail } from '../email/email-contents';
import {
  addNotice,
  addNoticeForLater,
  countInAnHour,
  MAX_IN_AN_HOUR,
  type NewNotice,
  toNoticeBrand,
  wakeOutbox,
} from './outbox';
import { sendUnwritten } from './send-due';

/** Most emails are written or delivered within a second. Other changes of the account wait for this notice. */
const EMAIL_WAIT_MS = 5_000;

/**
 * Other people can cause these notices at will, by signing in anywhere or with the password. All other notices need a
 * proof of the owner.
 */
const CAUSED_BY_OTHERS: readonly ChangeEmail['kind'][] = [
  'email-restored',
  'methods-disconnected',
  'provider-refused',
  'devices-signed-out',
];

/**
 * Adds an email about a change to the outbox, which does not lose it. Without the database, the email is sent
 * immediately. The account's lock waits for a limited time, then the work continues behind the request. Kinds that
 * others can cause are limited to five immediate emails an hour. A further email reports all other removals, so that no
 * removal stays unreported.
 * @param also writes further records in the same transaction; not called without the database
 */
export async function sendChangeNotice(
  { uid, to }: { uid: string; to: string },
  email: ChangeEmail,
  context: EmailContext,
  also: (tx: Tx, at: Date) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const at = new Date();
  const notice = createNotice({ uid, to }, email, context);
  const writeIt = () =>
    withRecords((records) =>
      writeAboutAccount(records, { uid, at }, async (tx) => {
        await also(tx, at);
        await write(tx, notice, email.kind);
      }),
    );
  // Retry immediately. If only the response was lost, the notice exists, and another process may have sent it. A later
  // retry could send it twice, because the database may write it late.
  const told = writeIt()
    .catch(writeIt)
    .then(wakeOutbox, async (error: unknown) => {
      if (!isApiProblem(error)) reportError(error, { during: 'writing an email about a change' });
      if (await hasRoomUnwritten(uid, email.kind)) await sendUnwritten(notice.id, to, email, context);
    });
  finishBeforeExit(told);
  const late = new Promise<void>((resolve) => void setTimeout(resolve, timeLimit(EMAIL_WAIT_MS)).unref());
  await Promise.race([told, late]);
}

/** Writes the email about a change in the transaction of that change. Wake the outbox after the commit. */
export function writeChangeNotice(
  tx: Tx,
  addressee: { uid: string; to: string },
  email: ChangeEmail,
  context: NoticeBrand,
): Promise<void> {
  return write(tx, createNotice(addressee, email, context), email.kind);
}

function createNotice({ uid, to }: { uid: string; to: string }, email: ChangeEmail, context: NoticeBrand) {
  const body = { channel: 'email', to, email, brand: toNoticeBrand(context) } as const;
  return { id: randomUUID(), uid, key: randomUUID(), body };
}

async function write(tx: Tx, notice: NewNotice, kind: ChangeEmail['kind']): Promise<void> {
  if (await isOneTooMany(tx, notice.uid, kind)) await addNoticeForLater(tx, notice);
  else await addNotice(tx, notice);
}

/** Checks the limit for others' notices when the database is unavailable. */
async function hasRoomUnwritten(uid: string, kind: ChangeEmail['kind']): Promise<boolean> {
  if (!CAUSED_BY_OTHERS.includes(kind)) return true;
  return (await nullOnProblem(consumeLimit('unwritten-email', `${uid} ${kind}`))) !== null;
}

async function isOneTooMany(tx: Tx, uid: string, kind: ChangeEmail['kind']): Promise<boolean> {
  if (!CAUSED_BY_OTHERS.includes(kind) || (await countInAnHour(tx, { uid, kind })) < MAX_IN_AN_HOUR) return false;
  log().warn({ kind }, 'an account gets the next emails of this kind as one, in an hour');
  return true;
}
