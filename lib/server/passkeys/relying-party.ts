import { pathToPart } from '@/lib/shared/account/security';
import { isWithinDomain } from '@/lib/shared/callback/rules';
import { type Env, env, log } from '@/lib/server/runtime';
import { getRelyingParty, apiRoute, type Route } from '@/lib/server/http';
import { ApiProblem } from '@/lib/shared/problem';
import { isRecordsError, getRecords, findOtherRpId } from '@/lib/server/storage';

/**
 * Do not use `handle_all_urls`. With it, an app can open our URLs in place of the browser, also links in emails
 * (docs/deploy/passkeys.md).
 */
const SHARE_CREDENTIALS = 'delegate_permission/common.get_login_creds';

type AndroidApp = { namespace: 'android_app'; package_name: string; sha256_cert_fingerprints: string[] };
type Site = { namespace: 'web'; site: string };
export type AssetLink = { relation: string[]; target: AndroidApp | Site };

/**
 * Builds `/.well-known/webauthn`: origins outside the RP ID whose pages may use its passkeys (WebAuthn Level 3, section
 * 5.11). @returns null if there are none
 */
export function buildRelatedOrigins(config: Env): { origins: string[] } | null {
  const rp = getRelyingParty(config);
  if (rp === null) return null;
  const origins = rp.origins.filter((origin) => !isWithinDomain(new URL(origin).hostname, rp.id));
  return origins.length > 0 ? { origins } : null;
}

/**
 * Builds `/.well-known/passkey-endpoints` (W3C, A Well-Known URL for Relying Party Passkey Endpoints). Password
 * managers open these pages to add and list passkeys. @returns null if passkeys are off
 */
export function buildPasskeyEndpoints(config: Env): Record<'enroll' | 'manage', string> | null {
  if (getRelyingParty(config) === null) return null;
  const page = config.NEXT_PUBLIC_APP_ORIGIN + pathToPart('sign-in');
  return { enroll: page, manage: page };
}

/** Builds `/.well-known/apple-app-site-association` for credentials only. @returns null without apps */
export function buildAppleAppSiteAssociation({
  APPLE_APP_IDS: apps,
}: Env): { webcredentials: { apps: string[] } } | null {
  return apps.length > 0 ? { webcredentials: { apps } } : null;
}

/**
 * Builds `/.well-known/assetlinks.json` (Digital Asset Links) for this site, with a statement per app. @returns null
 * without apps
 */
export function buildAssetLinks({ ANDROID_APPS: apps, NEXT_PUBLIC_APP_ORIGIN: site }: Env): AssetLink[] | null {
  if (apps.length === 0) return null;
  const names = [...new Set(apps.map(({ name }) => name))];
  const targets = names.map((name): AndroidApp => {
    const fingerprints = apps.filter((app) => app.name === name).map(({ fingerprint }) => fingerprint);
    return { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: [...new Set(fingerprints)] };
  });
  return [{ namespace: 'web', site } satisfies Site, ...targets].map((target) => ({
    relation: [SHARE_CREDENTIALS],
    target,
  }));
}

/** The files change only with a restart. */
const CACHE_CONTROL = 'public, max-age=3600';

/** Builds the route of a well-known file from the configuration. Responds with 404 if `build` returns null. */
export function wellKnownRoute(build: (config: Env) => object | null): Route {
  return apiRoute({ method: 'GET', stateChanging: false, audience: 'public' }, ({ res }) => {
    const file = build(env());
    if (file === null) throw new ApiProblem('not-found');
    res.setHeader('cache-control', CACHE_CONTROL);
    return file;
  });
}

/**
 * Prevents a start with another RP ID than the stored passkeys have, because all of them would stop working. It cannot
 * check this while the database is unavailable. Then passkeys of another RP ID are unknown to this process.
 * @returns problems of the configuration
 */
export async function findRpIdProblem(): Promise<readonly string[]> {
  const rp = getRelyingParty();
  if (rp === null) return [];
  try {
    const other = await findOtherRpId(await getRecords(), rp.id);
    if (other === null) return [];
    const remedy = `set it back, or delete them first: docs/deploy/passkeys.md`;
    return [`PASSKEY_RP_ID: is ${rp.id}, but there are passkeys of ${other}, which would all stop working: ${remedy}`];
  } catch (error) {
    if (!isRecordsError(error)) throw error;
    // The module that opens the database reports an outage.
    if (!error.isAway) log().warn({ err: error }, 'whether there are passkeys of another RP ID cannot be read');
    return [];
  }
}
