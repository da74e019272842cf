import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { readHostCookie } from '@/lib/server/http';
import type { SetUpReason, AccountSecurity } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import {
  type Account,
  findRequiringOrganization,
  getSecondFactorUse,
  isSecondFactorOffered,
} from '@/lib/server/policy';
import { getAccountSecurity, requireSession, type LiveSession, toSessionRequest } from '@/lib/server/session';
import { requireSignInToSetUp } from '@/lib/server/second-factor';
import { countOfferedPasskeys } from './passkeys';
import { getAskedAssurance, isStepUpNeeded, pathWithCallback } from './step-up';

type SetUpProps = { reason: SetUpReason; account: AccountSecurity | null; accountUid?: string };
type Result = GetServerSidePropsResult<SetUpProps>;
type Context = GetServerSidePropsContext;

const NOTHING: Result = { props: { reason: { name: 'none' }, account: null } };

/**
 * Props of /sign-in/set-up-second-factor: for a browser whose sign-in waits for a second factor that its account does not have, or for a
 * session. Never null: the page belongs to one browser, and must not be cached.
 */
export async function loadSetUp(context: Context): Promise<Result> {
  const secret = readHostCookie(context.req, 'pendingSignIn');
  const waiting = isSecondFactorOffered() ? await nullOnProblem(requireSignInToSetUp(secret)) : null;
  if (waiting !== null) {
    const { facts } = waiting.account;
    const reason = { name: 'required', organization: findRequiringOrganization(facts) } as const;
    return {
      props: { reason, account: { ...toUnprovedAccount(facts.email), passkeys: await countOfferedPasskeys(facts) } },
    };
  }
  const session = await findSession(context);
  return session === null ? redirectTo(paths.signIn) : loadForSession(session, context);
}

/** Who knows the password alone gets no data of the account but its email, which was typed, and whether a passkey can be used. */
function toUnprovedAccount(email: string | null): AccountSecurity {
  return {
    uid: '',
    name: null,
    email,
    emailVerified: true,
    methods: [],
    passkeys: 0,
    hasSecondFactor: false,
    lastSignIn: null,
  };
}

async function findSession({ req }: Context): Promise<LiveSession | null> {
  try {
    return await requireSession(req);
  } catch (error) {
    if (isApiProblem(error)) return null;
    throw error;
  }
}

async function loadForSession(session: LiveSession, context: Context): Promise<Result> {
  if (!isSecondFactorOffered() || session.status.assurance === 2) return NOTHING;
  const found = await nullOnProblem(getAccountSecurity(session.status.uid, toSessionRequest(context.req)));
  if (found === null) return NOTHING;
  const { account, security } = found;
  const asksForTwo = isStepUpNeeded(session, getAskedAssurance(context));
  if (account.facts.hasSecondFactor)
    return asksForTwo ? redirectTo(pathWithCallback(paths.secondFactor, context)) : NOTHING;
  const reason = asksForTwo ? ({ name: 'step-up' } as const) : await readAnnouncement(account, context);
  const passkeys = await countOfferedPasskeys(account.facts);
  return { props: { reason, account: { ...security, passkeys }, accountUid: security.uid } };
}

async function readAnnouncement({ facts }: Account, { req }: Context): Promise<SetUpReason> {
  const rule = await nullOnProblem(toSessionRequest(req).secondFactorRule());
  const use = getSecondFactorUse(facts, rule);
  if (use.use !== 'required' || use.from === null) return { name: 'none' };
  return { name: 'announced', organization: findRequiringOrganization(facts), from: use.from };
}

function redirectTo(destination: string): Result {
  return { redirect: { destination, permanent: false } };
}
