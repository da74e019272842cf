import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { readHostCookie } from '@/lib/server/http';
import { paths } from '@/lib/shared/paths';
import { isApiProblem } from '@/lib/shared/problem';
import { findById } from '@/lib/server/identity';
import { requireSession } from '@/lib/server/session';
import { redirectWhenSignedIn, type AlreadySignedInProps } from './already-signed-in';
import { getAskedAssurance, isStepUpNeeded } from './step-up';

/** `stepUp`: the user is signed in, and shows the second factor because the platform asks for it. */
type SecondFactorProps = AlreadySignedInProps & { stepUp?: true; accountUid?: string };

/**
 * Props of /sign-in/second-factor: only for a browser whose sign-in waits for a second factor, or whose session has not shown the one that
 * the platform asks for. Never null: the page belongs to one browser, and must not be cached.
 */
export async function loadSecondFactor(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<SecondFactorProps>> {
  const accountUid = await findStepUp(context);
  if (accountUid !== null) return { props: { stepUp: true, accountUid } };
  if (readHostCookie(context.req, 'pendingSignIn') === undefined)
    return { redirect: { destination: paths.signIn, permanent: false } };
  return (await redirectWhenSignedIn(context)) ?? { props: {} };
}

/** @returns the user of a session that has to show the second factor of its account; null when there is none */
async function findStepUp(context: GetServerSidePropsContext): Promise<string | null> {
  const asked = getAskedAssurance(context);
  if (asked === 1) return null;
  try {
    const session = await requireSession(context.req);
    if (!isStepUpNeeded(session, asked)) return null;
    const account = await findById(session.status.uid);
    return account?.facts.hasSecondFactor === true ? account.facts.uid : null;
  } catch (error) {
    if (isApiProblem(error)) return null;
    throw error;
  }
}
