import type { EmailContext } from '../email';
import type { SecondFactorEmail, UnfinishedSignInEmail } from '../email/second-factor-contents';
import type { SignInRef } from '@/lib/server/codes';
import type { WebhookEvent } from '../webhooks/event';
import type { NoticeKind, ResetNotice } from './kinds';

/** Brand and links of an email that is sent after its request: without who requested it. */
export type NoticeBrand = Pick<EmailContext, 'origin' | 'brandName' | 'accent' | 'hasOwnLogo' | 'support' | 'language'>;

/** The emails that the outbox sends. Those with a link name what it is about: the link is made when they are sent. */
export type NoticeEmail =
  | ({ kind: 'new-sign-in'; browser: string | null; system: string | null } & Omit<SignInRef, 'to'>)
  | { kind: 'deletion-requested' | 'deletion-reminder'; uid: string; deletion: string; effectiveAt: string }
  | { kind: ResetNotice; uid: string; reset: string; effectiveAt: string }
  | { kind: 'deletion-cancelled' | 'account-deleted' | 'factor-reset-cancelled' }
  /** `provider`: name of the password manager; null when unknown. `isAutomatic`: the browser created it by itself. */
  | { kind: 'passkey-added' | 'passkey-removed' | 'passkey-suspect'; provider: string | null; isAutomatic: boolean }
  | UnfinishedSignInEmail
  | SecondFactorEmail;

export type NoticeBody =
  | { channel: 'email'; to: string; email: NoticeEmail; brand: NoticeBrand }
  | { channel: 'webhook'; event: WebhookEvent };

export type NewNotice = {
  uid: string;
  /** What it announces: of one account and kind it is written once. */
  key: string;
  body: NoticeBody;
};

/** A notice that this process may send until its lease ends. */
export type Notice = {
  id: string;
  uid: string;
  kind: NoticeKind;
  body: NoticeBody;
  /** This one included. */
  attempts: number;
  createdAt: Date;
  /** Of the account; null when it is not known. */
  language: string | null;
};

export function getNoticeKind(body: NoticeBody): NoticeKind {
  return body.channel === 'email' ? body.email.kind : body.event.type;
}

export function toNoticeBrand({ origin, brandName, accent, hasOwnLogo, support, language }: EmailContext): NoticeBrand {
  return {
    origin,
    brandName,
    accent,
    support,
    ...(hasOwnLogo !== undefined && { hasOwnLogo }),
    ...(language !== undefined && { language }),
  };
}
