import { createTransport, type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { promiseTimeout } from '@/lib/promise-timeout';
import { reportError } from '@/lib/sentry/report';
import { processWide } from '../process-wide';

/** How long the mail server may take for each step and for all of them, in milliseconds; when to try again, in seconds. */
const PATIENCE = 5_000;
const PATIENCE_IN_ALL = 10_000;
const RETRY_AFTER = 30;

export type OutgoingMail = {
  to: string;
  fromName: string;
  subject: string;
  text: string;
  html: string;
};

/**
 * Hands a mail to the SMTP server.
 * @throws ApiProblem `mail-unavailable` when it was not taken; that is reported
 */
export async function deliver({ to, fromName, ...content }: OutgoingMail): Promise<void> {
  try {
    const sent = transport().sendMail({
      ...content,
      // As an object: an address made of text could name more than one mailbox.
      to: { name: '', address: to },
      from: { name: fromName, address: env().NO_REPLY_MAILBOX },
      // Nobody's holiday notice answers to this (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // Mails that wait for a connection, or for a server that says a word now and then, would wait without end.
    await promiseTimeout(sent, PATIENCE_IN_ALL);
  } catch (cause) {
    reportError(cause, { during: 'sending a mail' });
    throw new ApiProblem('mail-unavailable', { retryAfter: RETRY_AFTER, cause });
  }
}

function transport(): Transporter<SMTPPool.SentMessageInfo> {
  return processWide('mail-transport', () =>
    createTransport({
      url: env().SMTP_URL,
      pool: true,
      connectionTimeout: PATIENCE,
      greetingTimeout: PATIENCE,
      socketTimeout: PATIENCE,
      dnsTimeout: PATIENCE,
    }),
  );
}
