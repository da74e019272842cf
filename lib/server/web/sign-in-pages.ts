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
import { isOidcOffered, requiresReauthenticationForClient } from '@/lib/server/oidc';
import {
  findRequiringOrganization,
  getPartner,
  getSecondFactorUse,
  isSecondFactorOffered,
  type Account,
  type AccountFacts,
} from '@/lib/server/policy';
import { env, getPublicEnv } from '@/lib/server/runtime';
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
  toSessionRequest,
  type LiveSession,
} from '@/lib/server/session';
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
 * Loads /sign-in/set-up-second-factor: for a session, or for a browser whose sign-in needs a second factor that its
 * account lacks. It is never null, because the page belongs to a single browser and must not be cached.
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

/**
 * Builds an account without data, for a client that has only shown the password. It has the email, which was typed, and
 * whether a passkey can be used.
 */
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

/** Counts only passkeys that are two factors, because another passkey would lead back to the same page. */
const TWO_FACTORS = { asTwoFactors: true };

/** Returns how many passkeys can sign in to the account, or 0 if the database is unavailable. */
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
    // Clear an unfinished sign-in, because the page would ask for that sign-in's code.
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

/**
 * Returns how many factors the platform requires, from the URL or the stored callback. A new callback replaces both.
 */
function getAskedAssurance({ query, req }: Pick<PageContext, 'query' | 'req'>): 1 | 2 {
  if (!(queryNames.redirectUri in query)) return getRequiredAssurance(req);
  const [value, ...others] = [query[queryNames.acrValues] ?? []].flat();
  return others.length === 0 ? toAssurance(value) : 1;
}

/**
 * Whether the platform requires more factors than the session has. If accounts have no second factor, the platform gets
 * what there is.
 */
function isStepUpNeeded({ status }: LiveSession, asked: 1 | 2): boolean {
  return status.assurance < asked && isSecondFactorOffered();
}

/** Builds a path with the URL's callback, the platform's required factors, and the language and theme of the visit. */
function pathWithCallback(path: string, { query }: Pick<PageContext, 'query'>): string {
  const ofCallback: string[] = [queryNames.redirectUri, queryNames.returnTo, queryNames.acrValues];
  return pathWithQuery(path, query, (name) => ofCallback.includes(name) || isVisitParameter(name));
}

function pathWithQuery(path: string, query: ParsedUrlQuery, isKept: (name: string) => boolean): string {
  const kept = listQuery(query, isKept);
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}

/**
 * Loads /first-login-reset-password, only after a sign-in that requires a new password. A signed-in user continues to
 * the callback, and any other visitor to sign-in.
 */
export async function loadFirstLogin(context: PageContext): Loading<AlreadySignedInProps> {
  const isLegacy = readCookie(context.req, 'legacyUserStatus') === 'legacy';
  // Also applies if the browser still has a session of another account.
  if (isLegacy && getPublicEnv().rolloutMode === 'V3FirstLogin') return { props: {} };
  const signedIn = await redirectWhenSignedIn(context);
  return signedIn && !('props' in signedIn) ? signedIn : redirectTo(paths.signIn);
}

type PartnerStartProps = AlreadySignedInProps & {
  /** Null if the partner is unknown or disabled. */
  partner: { name: string; provider: string } | null;
};

/** Loads `/partner-auth/initiate?partner=ID&redirect_uri=…` (docs/product.md#screens). */
export async function loadPartnerStart(context: PageContext): Loading<PartnerStartProps> {
  const { partner: id, [queryNames.redirectUri]: redirectUri } = context.query;
  const partner = typeof id === 'string' ? await getPartner(id) : null;
  if (partner === null) {
    context.res.statusCode = 404;
    return { props: { partner: null } };
  }
  // Sessions of another deployment do not have their provider.
  const counts = ({ signIn }: LiveSession) => signIn === null || signIn.provider === partner.provider;
  const signedIn = await redirectWhenSignedIn(context, counts);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const env = getPublicEnv();
  const validation = validateCallback(redirectUri, getCallbackPolicy(env));
  // The return from the provider has no `redirect_uri`, so keep the stored URL.
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
 * `stepUp`: the signed-in user shows the second factor because the platform requires it. `hasPasskeys`: the account has
 * a passkey that can be used instead, which is only revealed after the first factor. `resetCode`: a code was emailed
 * for a reset that the learner requested.
 */
type SecondFactorProps = AlreadySignedInProps & {
  stepUp?: true;
  accountUid?: string;
  isShared?: boolean;
  hasPasskeys?: boolean;
  resetCode?: { resendAfter: number } | null;
};

/**
 * Loads /sign-in/second-factor: for a browser whose sign-in waits for a second factor, or whose session lacks the
 * factor that the platform requires. It is never null, because the page belongs to a single browser and must not be
 * cached.
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
 * Finds a session that must show the second factor of its account.
 * @param waiting a waiting sign-in of another account takes precedence, because its user has just shown the first
 *   factor and types that account's code
 * @returns the account of that session, or null if there is none
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

/** Loads /sign-in/add-passkey. If the account or its passkeys cannot be read, there is no offer. */
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
   * Whether the learner was redirected and came back three times, so that the page shows an error instead of
   * redirecting again. Null if the learner must sign in again, so that the page looks as for a visitor and does not
   * redirect.
   */
  bounced?: boolean | null;
};

/**
 * Redirects a learner with a live session (docs/product.md#screens), unless it detects a redirect loop. Without a
 * session cookie, the page has no personal data.
 * @param counts returns false for a session of another account than the visit is about
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
  if (isOidcOffered() && (await requiresReauthenticationForClient(url, session))) return { props: { bounced: null } };
  if (isLeftToBrowser(context)) return handOver(context);
  // Before a step-up, the callback stays in the URL or its cookie.
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
    // The session is invalid or cannot be checked, so show the sign-in form.
    if (!isApiProblem(error)) reportError(error, { during: 'checking the session for the sign-in page' });
    return null;
  }
}

/**
 * Whether the browser decides where to go. The tab's original callback is in its storage and no longer in the URL.
 * Cookies belong to the most recent tab, and a reload repeats the `Referer` of an earlier visit. So the page redirects
 * (lib/browser/session/session-poller.tsx).
 */
function isLeftToBrowser({ query, req }: PageContext): boolean {
  const hasCallback = queryNames.redirectUri in query || queryNames.returnTo in query;
  // A typed or bookmarked URL only has a history if the browser restored the tab. Other visitors must not see a form
  // first.
  return !hasCallback && readCookie(req, 'loggedIn') === '1' && req.headers['sec-fetch-site'] !== 'none';
}

/** Only pages for signed-out visitors redirect in the browser, so other pages redirect to sign-in first. */
function handOver(context: PageContext): GetServerSidePropsResult<AlreadySignedInProps> {
  const isEntryPage = entryPages.includes(context.resolvedUrl.split('?', 1).join());
  return isEntryPage ? { props: {} } : redirectTo(pathWithCallback(paths.signIn, context));
}

/** Returns the redirect target of this visit, by the same rules as in the browser. */
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

/**
 * Loads /sign-in/keep-account. `effectiveAt` is null if no deletion is scheduled or it cannot be read, and the learner
 * continues.
 */
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
  const selection = request && {
    request: getAppName(request),
    name,
    email,
    canDelete: env().SESSION_BACKEND === 'firebase',
  };
  return Promise.resolve({ props: { selection } });
});

/**
 * Loads `/mobile/account-selection` (docs/product.md#screens). It moves the app's request from the URL to a cookie at
 * once. So the request survives a sign-in, and is never mistaken for this visit's callback URL.
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
