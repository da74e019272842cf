import { ApiProblem } from '@/lib/shared/problem';
import { sealDisavowalLink } from '@/lib/server/codes';
import { acknowledgeSignIn, findUncheckedSignIn } from './sign-in-checks';
import { withRecords } from '@/lib/server/storage';
import type { LiveSession } from '@/lib/server/session';

/**
 * The owner's answer to "Was this you?" on /security. Either answer needs a session alone: "It was me" changes nothing but the
 * question, and "This wasn't me" is the link of the email about the sign-in, which removes only what was added since.
 * @returns the code of that link for a sign-in that was not the owner's
 * @throws ApiProblem `not-found` without records, and for a sign-in that this session is not asked about; `records-unavailable`
 */
export function checkSignIn(
  { sid, status: { uid } }: LiveSession,
  { session: id, isOwn }: { session: string; isOwn: boolean },
): Promise<{ code?: string }> {
  return withRecords(async (records) => {
    const now = new Date();
    if (isOwn) {
      await acknowledgeSignIn(records, { uid, sid, id }, now);
      return {};
    }
    const found = await findUncheckedSignIn(records, { uid, sid, id }, now);
    if (found === null) throw new ApiProblem('not-found');
    return { code: await sealDisavowalLink({ uid, session: id, at: found.openedAt.toISOString(), to: '' }) };
  });
}
