import type { GetServerSidePropsResult } from 'next';
import type { ParsedUrlQuery } from 'node:querystring';
import {
  readCookie,
  appendCookies,
  applySharedComputerExpiry,
  arePasskeysOffered,
  buildClearCookie,
  buildSetCookie,
  isSharedComputer,
  readHostCookie,
} from '@/lib/server/http';
import { countUsablePasskeys, findById } from '@/lib/server/identity';
import {
  findRequiringOrganization,
  getPartner,
  getSecondFactorUse,
  isSecondFactorOffered,
  type Account,
  type AccountFacts,
} from '@/lib/server/policy';
import { getPublicEnv } from '@/lib/server/runtime';
import {
  readResetCode,
  requireSignInToSetUp,
  requireWaitingSignIn,
  type WaitingSignIn,
} from '@/lib/server/second-factor';
import {
  getAppName,
  getRequiredAssurance,
  getSessionCookie,
  packMobileRequest,
  parseMobileRequest,
  readKeptMobileRequest,
  requireSession,
  requiresReauthentication,
  toSessionRequest,
  type LiveSession,
} from '@/lib/server/session';
import { hasRecords } from '@/lib/server/storage';
import type { PasskeyOffer } from '@/lib/shared/account/passkeys';
import type { AccountSecurity, SetUpReason } from '@/lib/shared/account/security';
import { decideCallbackStart, resolveCallback, validateCallback } from '@/lib/shared/callback/rules';
import { detectRedirectLoop } from '@/lib/shared/callback/redirect-loop';
import { getCallbackPolicy, type PublicEnv } from '@/lib/shared/config/public-env';
import { isVisitParameter } from '@/lib/shared/i18n/languages';
import { reportError } from '@/lib/shared/error-reporting/report';
import { entryPages, isSessionPageName, paths, queryNames, sessionPages, toAssurance } from '@/lib/shared/paths';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { listQuery, redirectTo, requireSessionPage, type PageContext, type Loading } from './page';
import { getAccountSecurity, loadDeletion } from './security';
import { getResendAfter } from './steps';

type SetUpProps = { reason: SetUpReason; account: AccountSecurity | null; accountUid?: string };
type Result = GetServerSidePropsResult<SetUpProps>;

const NOTHING: Result = { props: { reason: { name: 'none' }, account: null } };

/**
 * Props of /sign-in/set-up-second-factor: for a browser whose sign-in waits for a second factor that its account does not have, or for a
 * session. Never null: the page belongs to one browser, and must not be cached.
 */
export async function loadSetUp(context: PageContext): Promise<Result> {
  const secret = readHostCookie(context.req, 'pendingSignIn');
  const waiting = isSecondFactorOffered() ? await nullOnProblem(requireSignInToSetUp(secret)) : null;
  if (waiting !== null) {
    const { facts } = waiting.account;
    const reason = { name: 'required', organization: findRequiringOrganization(facts) } as const;
    const account = { ...toUnprovedAccount(facts.email), passkeys: await countOfferedPasskeys(facts, TWO_FACTORS) };
    return { props: { reason, account } };
  }
  const session = await nullOnProblem(requireSession(context.req));
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
    connectable: [],
    passkeys: 0,
    hasSecondFactor: false,
    lastSignIn: null,
  };
}

/** Where there is no second factor yet: a passkey that is one factor would lead back to the same page. */
const TWO_FACTORS = { asTwoFactors: true };

/** How many passkeys sign in to the account; none while the database is away. */
async function countOfferedPasskeys(facts: AccountFacts, options?: typeof TWO_FACTORS): Promise<number> {
  return (await nullOnProblem(countUsablePasskeys(facts, options))) ?? 0;
}

async function loadForSession(session: LiveSession, context: PageContext): Promise<Result> {
  if (!isSecondFactorOffered() || session.status.assurance === 2) return NOTHING;
  const found = await nullOnProblem(getAccountSecurity(session.status.uid, context.req));
  if (found === null) return NOTHING;
  const { account, security } = found;
  const asksForTwo = isStepUpNeeded(session, getAskedAssurance(context));
  if (account.facts.hasSecondFactor) {
    if (!asksForTwo) return NOTHING;
    // A sign-in that was left unfinished: the page would ask for the code of that one.
    if (readHostCookie(context.req, 'pendingSignIn') !== undefined)
      appendCookies(context.res, [buildClearCookie('pendingSignIn')]);
    return redirectTo(pathWithCallback(paths.secondFactor, context));
  }
  const reason = asksForTwo ? ({ name: 'step-up' } as const) : await readAnnouncement(account, context);
  const passkeys = await countOfferedPasskeys(account.facts, TWO_FACTORS);
  return { props: { reason, account: { ...security, passkeys }, accountUid: security.uid } };
}

async function readAnnouncement({ facts }: Account, { req }: PageContext): Promise<SetUpReason> {
  const rule = await nullOnProblem(toSessionRequest(req).secondFactorRule());
  const use = getSecondFactorUse(facts, rule);
  if (use.use !== 'required' || use.from === null) return { name: 'none' };
  return { name: 'announced', organization: findRequiringOrganization(facts), from: use.from };
}

/** How many factors the platform asks for, by the address, or with the callback that is stored. A new callback replaces both. */
function getAskedAssurance({ query, req }: Pick<PageContext, 'query' | 'req'>): 1 | 2 {
  if (!(queryNames.redirectUri in query)) return getRequiredAssurance(req);
  const [value, ...others] = [query[queryNames.acrValues] ?? []].flat();
  return others.length === 0 ? toAssurance(value) : 1;
}

/** Whether the platform asks for more than the session has. Where accounts have no second factor, it gets what there is. */
function isStepUpNeeded({ status }: LiveSession, asked: 1 | 2): boolean {
  return status.assurance < asked && isSecondFactorOffered();
}

/** The path with the callback of the address, what the platform asks for with it, and the language and theme of the visit. */
function pathWithCallback(path: string, { query }: Pick<PageContext, 'query'>): string {
  const ofCallback: string[] = [queryNames.redirectUri, queryNames.returnTo, queryNames.acrValues];
  return pathWithQuery(path, query, (name) => ofCallback.includes(name) || isVisitParameter(name));
}

function pathWithQuery(path: string, query: ParsedUrlQuery, isKept: (name: string) => boolean): string {
  const kept = listQuery(query, isKept);
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}

/**
 * /first-login-reset-password: only after a sign-in that requires a new password. A signed-in user continues to the
 * callback, everyone else to sign-in.
 */
export async function loadFirstLogin(context: PageContext): Loading<AlreadySignedInProps> {
  const isLegacy = readCookie(context.req, 'legacyUserStatus') === 'legacy';
  // Also in the session of another account, which the browser can still have.
  if (isLegacy && getPublicEnv().rolloutMode === 'V3FirstLogin') return { props: {} };
  const signedIn = await redirectWhenSignedIn(context);
  return signedIn && !('props' in signedIn) ? signedIn : redirectTo(paths.signIn);
}

type PartnerStartProps = AlreadySignedInProps & {
  /** Null for a partner that is unknown or not enabled. */
  partner: { name: string; provider: string } | null;
};

/** Props of `/partner-auth/initiate?partner=ID&redirect_uri=…` (docs/product.md#screens). */
export async function loadPartnerStart(context: PageContext): Loading<PartnerStartProps> {
  const { partner: id, [queryNames.redirectUri]: redirectUri } = context.query;
  const partner = typeof id === 'string' ? await getPartner(id) : null;
  if (partner === null) {
    context.res.statusCode = 404;
    return { props: { partner: null } };
  }
  // Sessions of another deployment do not tell their provider.
  const counts = ({ signIn }: LiveSession) => signIn === null || signIn.provider === partner.provider;
  const signedIn = await redirectWhenSignedIn(context, counts);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const env = getPublicEnv();
  const validation = validateCallback(redirectUri, getCallbackPolicy(env));
  // The return from the provider has no `redirect_uri`: keep the stored one.
  if (redirectUri !== undefined) {
    const header = validation.accepted
      ? buildSetCookie('oidcOriginalCallback', validation.url)
      : buildClearCookie('oidcOriginalCallback');
    appendCookies(context.res, applySharedComputerExpiry(context.req, [header]));
  }
  const props = signedIn ? await signedIn.props : {};
  return { props: { ...props, partner: { name: partner.name, provider: partner.provider } } };
}

/**
 * `stepUp`: the user is signed in, and shows the second factor because the platform asks for it. `hasPasskeys`: one of the account's can be
 * used instead, which is told after the first factor alone. `resetCode`: one was emailed for a reset that the learner asks for.
 */
type SecondFactorProps = AlreadySignedInProps & {
  stepUp?: true;
  accountUid?: string;
  isShared?: boolean;
  hasPasskeys?: boolean;
  resetCode?: { resendAfter: number } | null;
};

/**
 * Props of /sign-in/second-factor: only for a browser whose sign-in waits for a second factor, or whose session has not shown the one that
 * the platform asks for. Never null: the page belongs to one browser, and must not be cached.
 */
export async function loadSecondFactor(context: PageContext): Loading<SecondFactorProps> {
  const secret = readHostCookie(context.req, 'pendingSignIn');
  const waiting = secret === undefined ? null : await nullOnProblem(requireWaitingSignIn(secret));
  const facts = await findStepUp(context, waiting);
  if (facts !== null)
    return { props: { stepUp: true, accountUid: facts.uid, hasPasskeys: (await countOfferedPasskeys(facts)) > 0 } };
  if (secret === undefined) return redirectTo(paths.signIn);
  const counts = ({ status }: LiveSession) => waiting === null || waiting.pending.uid === status.uid;
  const signedIn = await redirectWhenSignedIn(context, counts);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const props = signedIn ? await signedIn.props : {};
  const hasPasskeys = waiting !== null && (await countOfferedPasskeys(waiting.account.facts)) > 0;
  const read = waiting && (await readResetCode(waiting, readHostCookie(context.req, 'factorReset')));
  const resetCode = read && !read.isUsed ? { resendAfter: getResendAfter(read.issuedAt) } : null;
  return { props: { ...props, isShared: isSharedComputer(context.req), hasPasskeys, resetCode } };
}

/**
 * @param waiting a sign-in of another account comes first: its user has just shown the first factor, and types the code of that account
 * @returns the user of a session that has to show the second factor of its account; null when there is none
 */
async function findStepUp(context: PageContext, waiting: WaitingSignIn | null): Promise<AccountFacts | null> {
  const asked = getAskedAssurance(context);
  if (asked === 1) return null;
  const session = await nullOnProblem(requireSession(context.req));
  if (session === null || !isStepUpNeeded(session, asked)) return null;
  if (waiting !== null && waiting.pending.uid !== session.status.uid) return null;
  const account = await nullOnProblem(findById(session.status.uid));
  return account?.facts.hasSecondFactor === true ? account.facts : null;
}

type PasskeyOfferProps = { offer: PasskeyOffer; account: AccountSecurity | null };

/** Props of /sign-in/add-passkey. While the account or its passkeys cannot be read, there is no offer. */
export async function loadPasskeyOffer(
  { status: { uid } }: LiveSession,
  { req }: Pick<PageContext, 'req'>,
): Loading<PasskeyOfferProps> {
  return { props: (arePasskeysOffered(req) ? await readOffer(uid, req) : null) ?? { offer: 'none', account: null } };
}

async function readOffer(uid: string, req: PageContext['req']): Promise<PasskeyOfferProps | null> {
  const found = await nullOnProblem(getAccountSecurity(uid, req));
  if (!found || found.account.facts.requiresSso || !found.security.emailVerified) return null;
  const passkeys = await nullOnProblem(countUsablePasskeys(found.account.facts));
  if (passkeys === null) return null;
  const account = { ...found.security, passkeys };
  return { offer: passkeys === 0 && account.methods.length === 0 ? 'instead-of-password' : 'another', account };
}

type AlreadySignedInProps = {
  /**
   * The learner was redirected and came back three times: show an error instead of redirecting again. Null: the page is as for a visitor, and
   * does not redirect either, since the learner has to sign in once more.
   */
  bounced?: boolean | null;
};

/**
 * Redirects a learner with a live session (docs/product.md#screens), unless a redirect loop is detected. Without a
 * session cookie the page contains no personal data.
 * @param counts false for a session that does not: it can be of another account than the one that the visit is about
 */
export async function redirectWhenSignedIn(
  context: PageContext,
  counts: (session: LiveSession) => boolean = () => true,
): Promise<GetServerSidePropsResult<AlreadySignedInProps> | null> {
  if (getSessionCookie(context.req) === null) return null;
  const session = await getLive(context);
  if (session === null || !counts(session)) return { props: {} };

  const bounce = detectRedirectLoop(readCookie(context.req, 'callbackBounces'), Date.now());
  if (bounce.looping) return { props: { bounced: true } };
  const env = getPublicEnv();
  const { url, directPurchase } = readDestination(context, env);
  if (await requiresReauthentication(url, session)) return { props: { bounced: null } };
  if (isLeftToBrowser(context)) return handOver(context);
  // On the way to a step-up, the callback stays where it is: in the address, or in its cookie.
  const isSteppingUp = isStepUpNeeded(session, getAskedAssurance(context));
  if (!isSteppingUp) consumeCallback(context, env, directPurchase);
  const destination = isSteppingUp ? pathWithCallback(paths.setUpSecondFactor, context) : url;
  appendCookies(context.res, [buildSetCookie('callbackBounces', bounce.next)]);
  return redirectTo(destination);
}

async function getLive({ req }: PageContext): Promise<LiveSession | null> {
  try {
    return await requireSession(req);
  } catch (error) {
    // The session is invalid or cannot be checked: show the sign-in form.
    if (!isApiProblem(error)) reportError(error, { during: 'checking the session for the sign-in page' });
    return null;
  }
}

/**
 * What the tab was opened for is in its storage, and no longer in the address; the cookies are of whichever tab came last, and a reload
 * repeats the `Referer` of an earlier visit. So the page redirects (lib/browser/session/session-poller.tsx).
 */
function isLeftToBrowser({ query, req }: PageContext): boolean {
  const hasCallback = queryNames.redirectUri in query || queryNames.returnTo in query;
  // Typed, or from a bookmark, it has a past only where the browser has restored it: all others shall not see a form first.
  return !hasCallback && readCookie(req, 'loggedIn') === '1' && req.headers['sec-fetch-site'] !== 'none';
}

/** Only the pages for signed-out visitors redirect. */
function handOver(context: PageContext): GetServerSidePropsResult<AlreadySignedInProps> {
  const isEntryPage = entryPages.includes(context.resolvedUrl.split('?', 1).join());
  return isEntryPage ? { props: {} } : redirectTo(pathWithCallback(paths.signIn, context));
}

/** The redirect target of this visit, by the same rules as in the browser. */
function readDestination(context: PageContext, env: PublicEnv): { url: string; directPurchase: boolean } {
  const returnTo = context.query[queryNames.returnTo];
  if (isSessionPageName(returnTo)) return { url: sessionPages[returnTo], directPurchase: false };
  const policy = getCallbackPolicy(env);
  const stored = readCookie(context.req, 'callbackUrl');
  const { store, directPurchase } = decideCallbackStart(
    {
      redirectUris: [context.query[queryNames.redirectUri] ?? []].flat(),
      referrer: context.req.headers.referer ?? null,
      stored,
      purchaseMarkers: env.purchaseMarkers,
    },
    policy,
  );
  return { url: store ?? resolveCallback(stored, policy), directPurchase };
}

function consumeCallback(context: PageContext, env: PublicEnv, directPurchase: boolean): void {
  if (isSessionPageName(context.query[queryNames.returnTo])) return;
  const purchase = directPurchase ? [buildSetCookie('directPurchase', '1')] : [];
  appendCookies(context.res, applySharedComputerExpiry(context.req, purchase));
  const taken = (['callbackUrl', 'acrValues'] as const).filter((key) => readCookie(context.req, key) !== undefined);
  appendCookies(
    context.res,
    taken.map((key) => buildClearCookie(key)),
  );
}

/** Props of /sign-in/keep-account; null when nothing is scheduled, or it cannot be read: the learner goes on. */
export async function loadKeepAccount({ status: { uid } }: LiveSession): Loading<{ effectiveAt: string | null }> {
  const found = await loadDeletion(uid);
  return { props: { effectiveAt: found === 'unavailable' ? null : (found?.effectiveAt ?? null) } };
}

type AccountSelectionProps = {
  /** Null without a valid request. */
  selection: { request: string; name: string | null; email: string | null; canDelete: boolean } | null;
};

const REQUEST_NAMES = ['redirect_uri', 'state', 'code_challenge'];

const forSignedIn = requireSessionPage('mobile-account-selection', ({ status }, { req }) => {
  const request = readKeptMobileRequest(req);
  const { displayName: name, email } = status;
  const selection = request && { request: getAppName(request), name, email, canDelete: hasRecords() };
  return Promise.resolve({ props: { selection } });
});

/**
 * Props of `/mobile/account-selection` (docs/product.md#screens). The app's request is moved from the URL to a cookie
 * at once: it survives a sign-in, and is never mistaken for this visit's callback URL.
 */
export async function loadAccountSelection(context: PageContext): Loading<AccountSelectionProps> {
  if (REQUEST_NAMES.some((name) => context.query[name] !== undefined)) return keepRequest(context);
  if (readKeptMobileRequest(context.req) === null) return { props: { selection: null } };
  return forSignedIn(context) as Loading<AccountSelectionProps>;
}

function keepRequest({ query, res }: PageContext): GetServerSidePropsResult<AccountSelectionProps> {
  const request = parseMobileRequest(query);
  if (request === null) {
    res.statusCode = 400;
    return { props: { selection: null } };
  }
  appendCookies(res, [buildSetCookie('mobileRequest', packMobileRequest(request))]);
  return redirectTo(pathWithQuery(paths.mobileAccountSelection, query, isVisitParameter));
}
