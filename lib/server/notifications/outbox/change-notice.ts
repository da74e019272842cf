import { randomUUID } from 'node:crypto';
import { finishBeforeExit } from '@/lib/server/http';
import { log } from '@/lib/server/runtime';
import { type Tx, withRecords, writeAboutAccount } from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { timeLimit } from '@/lib/shared/time-limit';
import type { EmailContext } from '../email';
import type { ChangeEmail } from '../email/email-contents';
import { addNotice, countInAnHour, MAX_IN_AN_HOUR, toNoticeBrand, wakeOutbox } from './outbox';
import { sendUnwritten } from './send-due';

/** Most emails are written, or handed over, within a second; other changes of the account wait for this one. */
const EMAIL_WAIT_MS = 5_000;

/** Who signs in somewhere, or knows the password, causes these as often as they like. All others take a proof of the owner. */
const CAUSED_BY_OTHERS: readonly ChangeEmail['kind'][] = ['email-restored', 'methods-disconnected', 'provider-refused'];

/**
 * Leaves an email about a change to the outbox, which does not lose it. Without the database it is sent at once. The account's
 * lock waits for either only so long: then it goes on behind the request. Of a kind that others can cause, an account gets five an hour.
 * @param also what is recorded with it, in its transaction; nothing without the database
 */
export async function sendChangeNotice(
  { uid, to }: { uid: string; to: string },
  email: ChangeEmail,
  context: EmailContext,
  also: (tx: Tx, at: Date) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const at = new Date();
  const body = { channel: 'email', to, email, brand: toNoticeBrand(context) } as const;
  const notice = { id: randomUUID(), uid, key: randomUUID(), body };
  const write = () =>
    withRecords((records) =>
      writeAboutAccount(records, { uid, at }, async (tx) => {
        await also(tx, at);
        if (!(await isOneTooMany(tx, uid, email.kind))) await addNotice(tx, notice);
      }),
    );
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

async function isOneTooMany(tx: Tx, uid: string, kind: ChangeEmail['kind']): Promise<boolean> {
  if (!CAUSED_BY_OTHERS.includes(kind) || (await countInAnHour(tx, { uid, kind })) < MAX_IN_AN_HOUR) return false;
  log().warn({ kind }, 'an account gets no more emails of this kind within the hour');
  return true;
}
