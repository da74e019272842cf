import { randomUUID } from 'node:crypto';
import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { orNull } from '@/lib/api/problem';
import { isActionMode, type EmailAction } from '@/lib/account/email-action';
import { env } from '@/lib/config/env';
import { appendCookies, setCookieHeader } from '@/lib/cookies/server';
import { cookieTable, LIFETIME } from '@/lib/cookies/table';
import { actionQuery, paths } from '@/lib/paths';
import { judgeAskedCallback } from '../callbacks';
import { sealingKey } from '../codes/keys';
import { seal, unseal } from '../codes/token';
import { pendingRegistration } from './confirmation';

export type ActionProps = {
  /** Null for an address without a usable link. */
  action: EmailAction | null;
  /** Addresses for which this browser asked for a mail; null when it did not. */
  askedFor: { confirmation: string | null; signIn: string | null };
};

/** Far longer than any code of the identity provider. */
const MAX_CODE = 512;

/**
 * /actions: takes the code out of the address before a page is shown, so that it stands in no history entry, referrer,
 * analytics event or error report (docs/adr/0009). Nothing is done with it yet: mail scanners open links as well.
 */
export async function actionStep(context: GetServerSidePropsContext): Promise<GetServerSidePropsResult<ActionProps>> {
  const { query, res, req } = context;
  res.setHeader('referrer-policy', 'no-referrer');
  if (query[actionQuery.code] !== undefined) {
    await keepAction(context);
    return { redirect: { destination: paths.actions, statusCode: 303 } };
  }
  const action = await keptAction(req.cookies[cookieTable.emailAction.name]);
  const askedFor = {
    confirmation: await addressOf(req.cookies[cookieTable.emailConfirmationToken.name]),
    signIn: req.cookies[cookieTable.signInEmail.name] ?? null,
  };
  return { props: { action, askedFor } };
}

async function keepAction({ query, req, res }: GetServerSidePropsContext): Promise<void> {
  const { TOKEN_ENCRYPTION_SECRET: secret, NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  const [mode, code] = [query[actionQuery.mode], query[actionQuery.code]];
  const isUsable = isActionMode(mode) && typeof code === 'string' && code !== '' && code.length <= MAX_CODE;
  const payload: Record<string, string> = isUsable ? { mode, code } : {};
  const exp = Math.floor(Date.now() / 1000) + LIFETIME.veryShort;
  const sealed = await seal({ jti: randomUUID(), mark: '', payload, exp }, sealingKey(secret, 'email-action'));
  const cookies = [setCookieHeader('emailAction', sealed, domain)];
  // Where the journey began, for who goes on here on another device.
  const callback = judgeAskedCallback(query[actionQuery.continueUrl]);
  if (callback.accepted && !req.cookies[cookieTable.callbackUrl.name])
    cookies.push(setCookieHeader('callbackUrl', callback.url, domain));
  appendCookies(res, cookies);
}

async function keptAction(sealed: string | undefined): Promise<EmailAction | null> {
  if (!sealed) return null;
  const key = sealingKey(env().TOKEN_ENCRYPTION_SECRET, 'email-action');
  const { mode, code } = (await orNull(unseal(sealed, key, Date.now())))?.payload ?? {};
  return isActionMode(mode) && code !== undefined ? { mode, code } : null;
}

async function addressOf(token: string | undefined): Promise<string | null> {
  return (await orNull(pendingRegistration(token)))?.email ?? null;
}
