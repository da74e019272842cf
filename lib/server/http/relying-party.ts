import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import { env, type Env } from '@/lib/server/runtime';
import { getRequestOrigin } from './request-origin';
import { chooseRecords } from '@/lib/server/storage';

/** Value of `PASSKEY_RP_ID` for no passkeys. */
const OFF = 'off';
/** An RP ID is a domain (WebAuthn Level 3, section 4, "RP ID"): an address is none. */
const IP_ADDRESS = /^[\d.]+$|^\[/;

/** This deployment as a WebAuthn relying party. */
export type RelyingParty = {
  id: string;
  /** Where its pages run: the only values of `origin` that are accepted. */
  origins: readonly string[];
};

/**
 * The relying party of a configuration (docs/adr/0031).
 * @returns null without passkeys: they are turned off, there are no records to keep them in, or the app has no domain
 */
export function getRelyingParty(config: Env = env()): RelyingParty | null {
  const { PASSKEY_RP_ID: given, NEXT_PUBLIC_APP_ORIGIN: app, PASSKEY_ORIGINS: others } = config;
  const id = given ?? new URL(app).hostname;
  if (id === OFF || IP_ADDRESS.test(id) || chooseRecords(config).kind === 'none') return null;
  return { id, origins: [...new Set([app, ...others])] };
}

/** Whether pages of an origin can use passkeys. */
export function arePasskeysOffered(req: Pick<IncomingMessage, 'headers'>): boolean {
  const origin = getRequestOrigin(req);
  return origin !== null && getRelyingParty()?.origins.includes(origin) === true;
}

/** For calls, which name their page in `Origin`. @throws ApiProblem `not-found` without passkeys, or from a page of another origin */
export function requireRelyingParty(req: Pick<IncomingMessage, 'headers'>): RelyingParty {
  const rp = getCallersRelyingParty(req);
  if (rp === null) throw new ApiProblem('not-found');
  return rp;
}

/** As `requireRelyingParty`. @returns null without passkeys, or for a page of another origin */
export function getCallersRelyingParty(req: Pick<IncomingMessage, 'headers'>): RelyingParty | null {
  const rp = getRelyingParty();
  return rp?.origins.includes(req.headers.origin ?? '') === true ? rp : null;
}
