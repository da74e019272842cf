import { decodeJwt } from 'jose';
import type { NextApiRequest, NextApiResponse } from 'next';
import type { Interaction, InteractionResults, KoaContextWithOIDC } from 'oidc-provider';
import { isSecondFactorOffered } from '@/lib/server/policy';
import { env, isLocalHost } from '@/lib/server/runtime';
import type { LiveSession, RecordedSession } from '@/lib/server/session';
import { languageQuery } from '@/lib/shared/i18n/languages';
import { findSession, hasRecords, withRecordsInTime } from '@/lib/server/storage';
import { OIDC_PATH, paths, queryNames } from '@/lib/shared/paths';
import { ACR, getRequestedAssurance, getSubject, toLogin } from './claims';
import { findClient } from './clients';
import { getOidcRequest, readInteractionId, type OidcServer } from './context';
import { EMAIL_KEY, sendRedirectPage } from './error-page';
import { findArtifact } from './adapter';

/** What is kept of a request while its user signs in. */
type Request = {
  /** When the client asked, seconds since 1970. */
  iat: number;
  prompt: { reasons: readonly string[] };
  params: {
    client_id?: string;
    prompt?: string;
    max_age?: number | string;
    acr_values?: string;
    /** Its signature was checked when the client asked. */
    id_token_hint?: string;
    login_hint?: string;
    redirect_uri?: string;
    ui_locales?: string;
  };
};

/** Why a client that is configured so gets no session of before (`prompt.reasons`). */
export const REAUTHENTICATE = 'reauthenticate';

/** By how much the clock of another process may be late, in seconds. */
const CLOCK_SKEW_SECONDS = 10;
/** Of the email field. */
const MAX_HINT_LENGTH = 254;

/** Where the library sends a user who has to sign in. The last part has no meaning: earlier versions had the client's name there. */
export async function startInteraction(_context: KoaContextWithOIDC, interaction: Interaction): Promise<string> {
  // The user may come back with another account: the cookie of this browser authorizes, not the session of before.
  delete interaction.session;
  await interaction.persist();
  return `${env().NEXT_PUBLIC_APP_ORIGIN}${OIDC_PATH}/interaction/${interaction.uid}/courses/0`;
}

/**
 * A user who was sent to sign in, or comes back from there: goes on to the client when the session is what it asked for, and otherwise to
 * the sign-in page, which leads back here. The library's cookie of this path proves that the browser is the one that the client sent.
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
 * Whether a session is what a client asked for.
 * @param shown by the user of the session; null without one
 * @returns `other-account`: by the user's own choice it is not the account that `id_token_hint` names (OpenID Connect Core 1.0,
 *   section 3.1.2.1); `unmet`: it never will be what was asked for, here
 */
export function decideInteraction(
  request: Request,
  shown: { subject: string; assurance: 1 | 2; authenticatedAt: number } | null,
  { isSecondFactorOffered, now }: { isSecondFactorOffered: boolean; now: number },
): 'sign-in' | 'finish' | 'other-account' | 'unmet' {
  if (shown === null || isReauthenticationDue(request, shown.authenticatedAt, now)) return 'sign-in';
  // When a user comes back, the library does not look at the hint.
  const { id_token_hint: hint } = request.params;
  if (hint !== undefined && decodeJwt(hint).sub !== shown.subject) return 'other-account';
  if (shown.assurance >= getRequestedAssurance(request.params.acr_values)) return 'finish';
  return isSecondFactorOffered ? 'sign-in' : 'unmet';
}

/** How the user has signed in, and by which session: what it proves is not that of another one. */
export type FinishedLogin = { sessionId: string };

function toFinishedLogin(session: RecordedSession) {
  const { accountId, loginTs, acr, amr } = toLogin(session);
  const own: FinishedLogin = { sessionId: session.id };
  return { accountId, ts: loginTs, acr, amr, remember: true, ...own };
}

/**
 * Whether the user has to authenticate once more although there is a session: for `prompt=login`, `max_age` and a client with `reauthenticate` later than the client
 * asked, not merely a short while ago (OpenID Connect Core 1.0, section 3.1.2.1).
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
 * The same for the sign-in page, which otherwise redirects a user with a session: also one without a record, which is none for clients.
 * @param destination where the page leads, which anyone may name
 * @returns false for all destinations but interactions that are known
 */
export async function requiresReauthentication(
  destination: string,
  { sid, authTime }: Pick<LiveSession, 'sid' | 'authTime'>,
): Promise<boolean> {
  const issuer = env().NEXT_PUBLIC_APP_ORIGIN + OIDC_PATH;
  const id = destination.startsWith(issuer) ? readInteractionId(destination.slice(issuer.length)) : null;
  if (id === null || !hasRecords()) return false;
  const payload = await findArtifact('Interaction', id);
  if (payload === null) return false;
  if (isReauthenticationDue(payload as unknown as Request, authTime ?? 0, Date.now())) return true;
  const { own } = await withRecordsInTime((records) => findSession(records, [sid], new Date()));
  return !own?.isLive;
}

const getAuthenticatedAt = ({ session, signIn }: RecordedSession) => session.authTime ?? signIn.authenticatedAt;

/**
 * By a page instead of a redirect: it hands over what is in no address, where anyone could write it. So the sign-in page loads nothing more for
 * `login_hint` and for the client's name.
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
 * What the sign-in page says of a client, as its learning context (lib/browser/learning-context.ts): its name as it is configured, and the host
 * where the user continues. An app on the user's device has none.
 */
export function toLearningContext(name: string, redirectUri = ''): { domain: string; course: string | null } {
  const { protocol, hostname } = URL.canParse(redirectUri) ? new URL(redirectUri) : { protocol: '', hostname: '' };
  const shown = IS_PLAIN.test(name) ? name : `\u2068${name}\u2069`;
  const hasHost = /^https?:$/.test(protocol) && !isLocalHost(hostname);
  return hasHost ? { domain: hostname, course: shown } : { domain: shown, course: null };
}

/** A name that text of either direction can contain as it is; others are isolated from it (Unicode Standard Annex 9). */
const IS_PLAIN =
  /^[\p{Script=Latin}\p{N}](?:[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*[\p{Script=Latin}\p{N}])?$/u;
