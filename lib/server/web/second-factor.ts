import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { readHostCookie } from '@/lib/server/http';
import { paths } from '@/lib/shared/paths';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { findById } from '@/lib/server/identity';
import type { AccountFacts } from '@/lib/server/policy';
import { requireWaitingSignIn } from '@/lib/server/second-factor';
import { requireSession } from '@/lib/server/session';
import { redirectWhenSignedIn, type AlreadySignedInProps } from './already-signed-in';
import { countOfferedPasskeys } from './passkeys';
import { getAskedAssurance, isStepUpNeeded } from './step-up';

/**
 * `stepUp`: the user is signed in, and shows the second factor because the platform asks for it. `hasPasskeys`: one of the account's can be
 * used instead, which is told after the first factor alone.
 */
type SecondFactorProps = AlreadySignedInProps & { stepUp?: true; accountUid?: string; hasPasskeys?: boolean };

/**
 * Props of /sign-in/second-factor: only for a browser whose sign-in waits for a second factor, or whose session has not shown the one that
 * the platform asks for. Never null: the page belongs to one browser, and must not be cached.
 */
export async function loadSecondFactor(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<SecondFactorProps>> {
  const facts = await findStepUp(context);
  if (facts !== null)
    return { props: { stepUp: true, accountUid: facts.uid, hasPasskeys: (await countOfferedPasskeys(facts)) > 0 } };
  const secret = readHostCookie(context.req, 'pendingSignIn');
  if (secret === undefined) return { redirect: { destination: paths.signIn, permanent: false } };
  const signedIn = await redirectWhenSignedIn(context);
  if (signedIn !== null) return signedIn;
  const waiting = await nullOnProblem(requireWaitingSignIn(secret));
  return { props: { hasPasskeys: waiting !== null && (await countOfferedPasskeys(waiting.account.facts)) > 0 } };
}

/** @returns the user of a session that has to show the second factor of its account; null when there is none */
async function findStepUp(context: GetServerSidePropsContext): Promise<AccountFacts | null> {
  const asked = getAskedAssurance(context);
  if (asked === 1) return null;
  try {
    const session = await requireSession(context.req);
    if (!isStepUpNeeded(session, asked)) return null;
    const account = await findById(session.status.uid);
    return account?.facts.hasSecondFactor === true ? account.facts : null;
  } catch (error) {
    if (isApiProblem(error)) return null;
    throw error;
  }
}
