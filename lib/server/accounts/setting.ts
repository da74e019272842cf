import type { IncomingMessage } from 'node:http';
import { env } from '@/lib/config/env';
import { asLongAsAsked, clearCookieHeader, setCookieHeader } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { mailSettingOf } from '../mail';
import type { Setting } from './registration';

type WithCookies = IncomingMessage & { cookies: Partial<Record<string, string>> };

/** What mails caused by a request look like, and where their links lead on to. */
export async function settingOf(req: WithCookies): Promise<Setting> {
  return { ...(await mailSettingOf(req)), callback: req.cookies[cookieTable.callbackUrl.name] };
}

/** `Set-Cookie` values of the asking browser, which waits for a confirmation code. The same ones, whatever the address is. */
export function confirmationCookies(req: WithCookies, token: string, email: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return asLongAsAsked(req, [
    setCookieHeader('emailConfirmationToken', token, domain),
    setCookieHeader('emailConfirmation', email, domain),
    setCookieHeader('signInEmail', email, domain),
    clearCookieHeader('registrationRequiresSignIn', domain),
  ]);
}

/** `Set-Cookie` values of a browser that waits for a reset code. */
export function resetCookies(token: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return [setCookieHeader('passwordReset', token, domain), clearCookieHeader('passwordUpdate', domain)];
}

/** `Set-Cookie` values once the password is set: the page that says so may be seen. */
export function passwordSetCookies(): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return [clearCookieHeader('passwordReset', domain), setCookieHeader('passwordUpdate', '1', domain)];
}
