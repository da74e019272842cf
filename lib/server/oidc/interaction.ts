import { decodeJwt } from 'jose';
import type { NextApiRequest, NextApiResponse } from 'next';
import type { Interaction, InteractionResults, KoaContextWithOIDC } from 'oidc-provider';
import { isSecondFactorOffered } from '@/lib/server/policy';
import { env, isLocalHost } from '@/lib/server/runtime';
import type { LiveSession, RecordedSession } from '@/lib/server/session';
import { languageQuery } from '@/lib/shared/i18n/languages';
import { findSession, withRecordsInTime } from '@/lib/server/storage';
import { OIDC_PATH, paths, queryNames } from '@/lib/shared/paths';
import { ACR, getRequestedAssurance, getSubject, toLogin } from './claims';
import { findClient } from './clients';
import { getOidcRequest, readInteractionId, type OidcServer } from './context';
import { EMAIL_KEY, sendRedirectPage } from './error-page';
import { findArtifact } from './adapter';

/** The stored part of a request while its user signs in. */
type Request = {
  /** Time of the client's request, in seconds since 1970. */
  iat: number;
  prompt: { reasons: readonly string[] };
  params: {
    client_id?: string;
    prompt?: string;
    max_age?: number | string;
    acr_values?: string;
    /** Its signature was verified at the request. */
    id_token_hint?: string;
    login_hint?: string;
    redirect_uri?: string;
    ui_locales?: string;
  };
};

/** Why a client with `reauthenticate` cannot use an earlier session (`prompt.reasons`). */
export const REAUTHENTICATE = 'reauthenticate';

/** How much the clock of another process may be slow, in seconds. */
const CLOCK_SKEW_SECONDS = 10;
/** Maximum length of the email field. */
const MAX_HINT_LENGTH = 254;

/**
 * Returns where the library sends a user who must sign in. The last part has no meaning. Earlier versions had the
 * client's name there.
 */
export function startInteraction(_context: KoaContextWithOIDC, interaction: Interaction): string {
  return `${env().NEXT_PUBLIC_APP_ORIGIN}${OIDC_PATH}/interaction/${interaction.uid}/courses/0`;
}

/**
 * Continues a user's sign-in for a client. If the session satisfies the request, it returns to the client. Otherwise it
 * redirects to the sign-in page, which leads back here. The library's cookie of this path proves that the client sent
 * this browser.
 */
export async function continueInteraction(
  { provider, library }: OidcServer,
  req: NextApiRequest,
  res: NextApiResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(req, res);
  const request = interaction as unknown as Request;
  const { session } = getOidcRequest();
  const finish = (result: InteractionResults) =>
    provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  const shown = session && {
    subject: await readSubject(session, request),
    assurance: session.session.status.assurance,
    authenticatedAt: getAuthenticatedAt(session),
  };
  const decision = decideInteraction(request, shown, {
    isSecondFactorOffered: isSecondFactorOffered(),
    now: Date.now(),
  });
  if (decision === 'sign-in' || session === null) return await sendToSignIn(request, res);
  if (decision === 'finish') return finish({ login: toFinishedLogin(session), consent: {}, select_account: {} });
  const { LoginRequired, UnmetAuthenticationRequirements } = library.errors;
  const { error, error_description } =
    decision === 'other-account'
      ? new LoginRequired('the user is not the one that was requested')
      : new UnmetAuthenticationRequirements('two factors were requested, and accounts have none here');
  return finish({ error, error_description });
}

async function readSubject({ session }: RecordedSession, { params: { client_id: id = '' } }: Request): Promise<string> {
  return getSubject(session.status.uid, id, (await findClient(id))?.subjectType);
}

/**
 * Decides whether a session satisfies a client's request.
 * @param shown facts of the user's session, or null without a session
 * @returns `other-account`: the user has chosen another account than `id_token_hint` names (OpenID Connect Core 1.0,
 *   section 3.1.2.1); `unmet`: no sign-in here can satisfy the request
 */
export function decideInteraction(
  request: Request,
  shown: { subject: string; assurance: 1 | 2; authenticatedAt: number } | null,
  { isSecondFactorOffered, now }: { isSecondFactorOffered: boolean; now: number },
): 'sign-in' | 'finish' | 'other-account' | 'unmet' {
  if (shown === null || isReauthenticationDue(request, shown.authenticatedAt, now)) return 'sign-in';
  // The library does not check the hint when a user comes back.
  const { id_token_hint: hint } = request.params;
  if (hint !== undefined && decodeJwt(hint).sub !== shown.subject) return 'other-account';
  if (shown.assurance >= getRequestedAssurance(request.params.acr_values)) return 'finish';
  return isSecondFactorOffered ? 'sign-in' : 'unmet';
}

/** The session of a completed sign-in, because its proof is not valid for another session. */
export type FinishedLogin = { sessionId: string };

function toFinishedLogin(session: RecordedSession) {
  const { accountId, loginTs, acr, amr } = toLogin(session);
  const own: FinishedLogin = { sessionId: session.id };
  return { accountId, ts: loginTs, acr, amr, remember: true, ...own };
}

/**
 * Whether the user must authenticate again despite a session. For `prompt=login`, `max_age` and a client with
 * `reauthenticate`, the authentication must be later than the request, and not only recent (OpenID Connect Core 1.0,
 * section 3.1.2.1).
 */
function isReauthenticationDue({ iat, prompt, params }: Request, authenticatedAt: number, now: number): boolean {
  if (authenticatedAt >= iat - CLOCK_SKEW_SECONDS) return false;
  const prompts = params.prompt?.split(' ') ?? [];
  const isRequired = [REAUTHENTICATE, 'id_token_hint'].some((reason) => prompt.reasons.includes(reason));
  if (isRequired || prompts.includes('login') || prompts.includes('select_account')) return true;
  const { max_age: maxAge } = params;
  return maxAge !== undefined && now / 1000 - authenticatedAt > Number(maxAge);
}

/**
 * Whether the sign-in page must ask a user with a session to sign in again for an interaction. Otherwise the page redirects.
 * A session whose record was lost counts as no session for clients.
 * @param destination where the page leads; untrusted
 * @returns false for every destination that is not a known interaction
 */
export async function requiresReauthenticationForClient(
  destination: string,
  { sid, authTime }: Pick<LiveSession, 'sid' | 'authTime'>,
): Promise<boolean> {
  const issuer = env().NEXT_PUBLIC_APP_ORIGIN + OIDC_PATH;
  const id = destination.startsWith(issuer) ? readInteractionId(destination.slice(issuer.length)) : null;
  if (id === null) return false;
  const payload = await findArtifact('Interaction', id);
  if (payload === null) return false;
  if (isReauthenticationDue(payload as unknown as Request, authTime ?? 0, Date.now())) return true;
  const { own } = await withRecordsInTime((records) => findSession(records, [sid], new Date()));
  return !own?.isLive;
}

const getAuthenticatedAt = ({ session, signIn }: RecordedSession) => session.authTime ?? signIn.authenticatedAt;

/**
 * Redirects to the sign-in page by a page instead of a redirect response. It passes values that must not be in a URL,
 * where anyone could write them. So the sign-in page loads nothing extra for `login_hint` and the client's name.
 */
async function sendToSignIn({ params }: Request, res: NextApiResponse): Promise<void> {
  const { acr_values: acrValues, ui_locales: uiLocales, login_hint: hint, client_id: id = '' } = params;
  const destination = env().NEXT_PUBLIC_APP_ORIGIN + getOidcRequest().path;
  const query = new URLSearchParams({
    [queryNames.redirectUri]: destination,
    ...(getRequestedAssurance(acrValues) === 2 && { [queryNames.acrValues]: ACR[2] }),
    ...(uiLocales !== undefined && { [languageQuery.uiLocales]: uiLocales }),
  });
  const isEmail = hint !== undefined && hint.length <= MAX_HINT_LENGTH && /^[^\s@]+@[^\s@]+$/.test(hint);
  const client = await findClient(id);
  sendRedirectPage(res, `${paths.signIn}?${query.toString()}`, {
    ...(isEmail && { [EMAIL_KEY]: hint }),
    ...(client && { [destination]: JSON.stringify(toLearningContext(client.name, params.redirect_uri)) }),
  });
}

/**
 * Returns a client's learning context for the sign-in page (lib/browser/learning-context.ts): its configured name, and
 * the host where the user continues. An app on the user's device has no host.
 */
export function toLearningContext(name: string, redirectUri = ''): { domain: string; course: string | null } {
  const { protocol, hostname } = URL.canParse(redirectUri) ? new URL(redirectUri) : { protocol: '', hostname: '' };
  const shown = IS_PLAIN.test(name) ? name : `\u2068${name}\u2069`;
  const hasHost = /^https?:$/.test(protocol) && !isLocalHost(hostname);
  return hasHost ? { domain: hostname, course: shown } : { domain: shown, course: null };
}

/** A name that text of either direction can contain unchanged. Others are isolated (Unicode Standard Annex 9). */
const IS_PLAIN =
  /^[\p{Script=Latin}\p{N}](?:[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*[\p{Script=Latin}\p{N}])?$/u;
