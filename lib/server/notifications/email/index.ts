import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import {
  countSuppressed,
  env,
  FairSemaphore,
  log,
  processWide,
  recordDependency,
  shareCheck,
  startEmailTimer,
} from '@/lib/server/runtime';
import { reportError } from '@/lib/shared/error-reporting/report';
import { SOURCE_LANGUAGE, isLanguage } from '@/lib/shared/i18n/languages';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import type { EmailContext } from './brand';
import { renderEmailHtml, renderEmailText } from './email';
import { buildEmail, type EmailRequest } from './email-contents';
import { abortAfter, timeLimit } from '@/lib/shared/time-limit';

export { getEmailContext, getOwnBrand, type EmailContext } from './brand';
export type { EmailRequest, SignInMethod } from './email-contents';

/** Renders an email for delivery: subject, HTML and plain text. */
export function composeEmail(request: EmailRequest, given: EmailContext) {
  // Stored by a version with more languages, or with fewer.
  const language = given.language !== undefined && isLanguage(given.language) ? given.language : SOURCE_LANGUAGE;
  const context = { ...given, language };
  const content = buildEmail(request, context);
  const { brandName: name, accent, hasOwnLogo = false } = context;
  const brand = { name, accent, hasOwnLogo };
  const html = renderEmailHtml(content, brand, language);
  return { subject: content.subject, html, text: renderEmailText(content, brand) };
}

/** Timeouts of the SMTP server, in milliseconds; retry delay, in seconds. */
const CONNECT_TIMEOUT_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;
/** A server that examines an email is slow to answer its end, and sends it all the same when the answer has no reader any more. */
const DELIVERY_TIMEOUT_MS = 30_000;
/** How long an email waits for a connection. With its delivery, less than the lease of the outbox. */
const CONNECTION_WAIT_MS = 20_000;
const MAX_CONNECTIONS = 5;
const RETRY_AFTER_SECONDS = 30;

/**
 * Builds an email and hands it to the SMTP server.
 * @throws ApiProblem `mail-unavailable` when it was not accepted; that is reported
 */
export async function sendEmail(to: string, request: EmailRequest, context: EmailContext): Promise<void> {
  const content = composeEmail(request, context);
  const { id, brandName } = context;
  const recordEnd = startEmailTimer(request.kind);
  let signal: AbortSignal | undefined;
  try {
    const message = {
      ...content,
      // An email that is handed over twice has the same one, by which mailboxes recognize it.
      ...(id !== undefined && { messageId: `<${id}@${getHostName()}>` }),
      // As an object: an address parsed from text could contain more than one mailbox.
      to: { name: '', address: to },
      from: { name: brandName, address: env().NO_REPLY_MAILBOX },
      // Prevents automatic replies such as out-of-office notices (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    await deliveries().run('', () => {
      // It starts with a free connection, and frees it when it expires: a slow server must not hold all of them.
      signal = abortAfter(DELIVERY_TIMEOUT_MS);
      return transport().sendMail({ ...message, signal });
    });
    recordEnd('sent');
    recordDependency('mail', true);
  } catch (cause) {
    const isMailbox = isAboutMailbox(cause);
    recordEnd(isMailbox ? 'refused' : 'failed');
    const problem = failDelivery(cause, isMailbox);
    const { responseCode } = cause as { responseCode?: unknown };
    if (signal && contents().get(signal)?.readableDidRead && responseCode === undefined) unanswered.add(problem);
    throw problem;
  }
}

/**
 * Checks that the mail server answers, before a response says that an email is sent: it is sent behind that response.
 * @throws ApiProblem `mail-unavailable`; that is reported
 */
export function assertMailServerReachable(): Promise<void> {
  return shareCheck('mail', async () => {
    await promiseTimeout(transport().verify(), CHECK_TIMEOUT_MS).catch((cause: unknown) => {
      throw failDelivery(cause, false);
    });
  });
}

function failDelivery(cause: unknown, isMailbox: boolean): ApiProblem {
  const during = 'sending an email';
  recordDependency('mail', isMailbox || isRefusedRecipient(cause));
  if (isMailbox) log().warn({ err: cause, during }, 'the mail server refused or deferred a mailbox');
  else {
    // In an outage each attempt fails alike.
    const suppressed = countSuppressed('mail server', getFailureKind(cause));
    if (suppressed !== null) reportError(cause, { during, suppressed });
  }
  return new ApiProblem('mail-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** The system's or the library's code, and the reply of the server, if there was one. */
function getFailureKind(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}

/**
 * The server is up, and has a word about this mailbox alone: anyone can enter one that it refuses, or defers (4yz). Many refuse the sender at
 * the same step: then the enhanced code is of another subject, or 1.7 and 1.8 (RFC 3463, section 3.2).
 */
function isAboutMailbox(error: unknown): boolean {
  const { code, command, responseCode, response } = error as Record<string, unknown>;
  if (code !== 'EENVELOPE' || command !== 'RCPT TO' || responseCode === 421) return false;
  const [, subject] = /^\d{3}[ -][245]\.(\d+\.\d+)/.exec(String(response)) ?? [];
  return subject === undefined || /^(?:1\.(?!7$|8$)|2\.)/.test(subject);
}

/** The server is up and refused this one email: a reply 5yz to its envelope or content (RFC 5321, section 4.2.1). */
export function isRefusedRecipient(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}

const unanswered = new WeakSet<ApiProblem>();

/** The server had the content, or a part of it, and did not answer: it may have taken the email, and send it. @param error of `sendEmail` */
export function isUnanswered(error: unknown): boolean {
  return isApiProblem(error) && unanswered.has(error);
}

/** What is read of an email once the server has accepted its envelope, by its timeout: no error tells whether it was. */
const contents = () => processWide('email-contents', () => new WeakMap<AbortSignal, Readable>());

function transport() {
  const options = { pool: true, maxConnections: MAX_CONNECTIONS } as const;
  return processWide('email-transport', () =>
    createTransport({ ...getTransportOptions(), ...options }).use('stream', ({ data: { signal }, message }, done) => {
      message.processFunc((content) => {
        if (signal) contents().set(signal, content);
        return content;
      });
      done();
    }),
  );
}

/** Emails wait here: the pool does not tell when one gets its connection. */
const deliveries = () =>
  processWide('email-deliveries', () => {
    const limits = { maxRunning: MAX_CONNECTIONS, maxHeld: Infinity, maxWaiting: Infinity };
    return new FairSemaphore({ ...limits, maxWaitMs: CONNECTION_WAIT_MS });
  });

const getHostName = () => new URL(env().NEXT_PUBLIC_APP_ORIGIN).hostname;

export function getTransportOptions() {
  return {
    url: env().SMTP_URL,
    // The EHLO host name appears in the headers of every email; without it, the name of this machine would.
    name: getHostName(),
    connectionTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    greetingTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    socketTimeout: timeLimit(DELIVERY_TIMEOUT_MS),
    dnsTimeout: timeLimit(CONNECT_TIMEOUT_MS),
  };
}
