import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { finishBeforeExit } from '@/lib/server/http';
import {
  countSuppressed,
  env,
  FairSemaphore,
  hashAccount,
  log,
  processWide,
  recordDependency,
  shareCheck,
  startEmailTimer,
} from '@/lib/server/runtime';
import { type EmailResult, recordSentEmail } from '@/lib/server/storage';
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
  // A version with more or fewer languages may have stored it.
  const language = given.language !== undefined && isLanguage(given.language) ? given.language : SOURCE_LANGUAGE;
  const context = { ...given, language };
  const content = buildEmail(request, context);
  const { brandName: name, accent, hasOwnLogo = false } = context;
  const brand = { name, accent, hasOwnLogo };
  const html = renderEmailHtml(content, brand, language);
  return { subject: content.subject, html, text: renderEmailText(content, brand) };
}

/** Timeouts of the SMTP server in milliseconds, and the retry delay in seconds. */
const CONNECT_TIMEOUT_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;
/**
 * A server that examines an email is slow to reply to its end. If the client closes the connection first, the server
 * still sends the email.
 */
const DELIVERY_TIMEOUT_MS = 30_000;
/**
 * How long an email waits for a connection. Together with the delivery, it must be less than the lease of the outbox.
 */
const CONNECTION_WAIT_MS = 20_000;
const MAX_CONNECTIONS = 5;
const RETRY_AFTER_SECONDS = 30;

/**
 * Builds an email and sends it to the SMTP server.
 * @throws ApiProblem `mail-unavailable` if the server did not accept it, which is also reported
 */
export async function sendEmail(to: string, request: EmailRequest, context: EmailContext): Promise<void> {
  const content = composeEmail(request, context);
  const { id = randomUUID(), uid = null, brandName } = context;
  const { kind } = request;
  const recordEnd = startEmailTimer(kind);
  // Logs only the id. With the host name it would look like an email address, which the log redacts.
  const facts = { kind, messageId: id, ...(uid !== null && { account: hashAccount(uid) }) };
  const record = (result: EmailResult, answer: string) => {
    finishBeforeExit(recordSentEmail({ messageId: id, to, uid, kind, result, answer }));
  };
  let signal: AbortSignal | undefined;
  try {
    const message = {
      ...content,
      // An email that is sent twice has the same id, so that mailboxes recognize the duplicate.
      messageId: `<${id}@${getHostName()}>`,
      // An address that is parsed from text could contain more than one mailbox, so this is an object.
      to: { name: '', address: to },
      from: { name: brandName, address: env().NO_REPLY_MAILBOX },
      // Prevents automatic replies such as out-of-office notices (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    const { response } = await deliveries().run('', () => {
      // The timeout starts with a free connection and frees it when it ends, because a slow server must not hold all
      // connections.
      signal = abortAfter(DELIVERY_TIMEOUT_MS);
      return transport().sendMail({ ...message, signal });
    });
    recordEnd('sent');
    recordDependency('mail', true);
    log().info(facts, 'the mail server took an email');
    record('sent', response);
  } catch (cause) {
    const isMailbox = isAboutMailbox(cause);
    recordEnd(isMailbox ? 'refused' : 'failed');
    const problem = failDelivery(cause, isMailbox, facts);
    const { responseCode, response } = cause as { responseCode?: unknown; response?: unknown };
    const mayBeSent = signal && contents().get(signal)?.readableDidRead && responseCode === undefined;
    if (mayBeSent) unanswered.add(problem);
    const answer = typeof response === 'string' ? response : getFailureKind(cause);
    record(isMailbox ? 'refused' : mayBeSent ? 'unanswered' : 'failed', answer);
    throw problem;
  }
}

/**
 * Checks that the mail server responds. The email is sent behind the response, so this runs before the response
 * promises it.
 * @throws ApiProblem `mail-unavailable`, which is also reported
 */
export function assertMailServerReachable(): Promise<void> {
  return shareCheck('mail', async () => {
    await promiseTimeout(transport().verify(), CHECK_TIMEOUT_MS).catch((cause: unknown) => {
      throw failDelivery(cause, false);
    });
  });
}

/** @param facts facts about the email, for the log */
function failDelivery(cause: unknown, isMailbox: boolean, facts: object = {}): ApiProblem {
  const during = 'sending an email';
  recordDependency('mail', isMailbox || isRefusedRecipient(cause));
  if (isMailbox) log().warn({ err: cause, during, ...facts }, 'the mail server refused or deferred a mailbox');
  else {
    // In an outage all attempts fail alike, so reports are suppressed.
    const suppressed = countSuppressed('mail server', getFailureKind(cause));
    if (suppressed !== null) reportError(cause, { during, suppressed, ...facts });
  }
  return new ApiProblem('mail-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** Returns the system's or library's error code, and the server's reply code if there is one. */
function getFailureKind(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
}

/**
 * Returns whether the server is up and its refusal or deferral (4yz) is about this mailbox only. Anyone can enter such
 * a mailbox. Many servers refuse the sender at the same step. Then the enhanced code has another subject, or is 1.7 or
 * 1.8 (RFC 3463, section 3.2).
 */
function isAboutMailbox(error: unknown): boolean {
  const { code, command, responseCode, response } = error as Record<string, unknown>;
  if (code !== 'EENVELOPE' || command !== 'RCPT TO' || responseCode === 421) return false;
  const [, subject] = /^\d{3}[ -][245]\.(\d+\.\d+)/.exec(String(response)) ?? [];
  return subject === undefined || /^(?:1\.(?!7$|8$)|2\.)/.test(subject);
}

/**
 * Returns whether the server is up and refused this email only, by a 5yz reply to its envelope or content (RFC 5321,
 * section 4.2.1).
 */
export function isRefusedRecipient(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}

const unanswered = new WeakSet<ApiProblem>();

/**
 * Returns whether the server got the content, or a part of it, and did not reply. It may have accepted the email and
 * may send it. @param error an error of `sendEmail`
 */
export function isUnanswered(error: unknown): boolean {
  return isApiProblem(error) && unanswered.has(error);
}

/**
 * Streams that are read once the server has accepted the envelope, by the email's abort signal. No error reports
 * whether it was accepted.
 */
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

/** Emails wait here, because the pool does not report when an email gets its connection. */
const deliveries = () =>
  processWide('email-deliveries', () => {
    const limits = { maxRunning: MAX_CONNECTIONS, maxHeld: Infinity, maxWaiting: Infinity };
    return new FairSemaphore({ ...limits, maxWaitMs: CONNECTION_WAIT_MS });
  });

const getHostName = () => new URL(env().NEXT_PUBLIC_APP_ORIGIN).hostname;

export function getTransportOptions() {
  return {
    url: env().SMTP_URL,
    // The EHLO host name appears in the headers of every email. Without it, they would contain this machine's name.
    name: getHostName(),
    connectionTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    greetingTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    socketTimeout: timeLimit(DELIVERY_TIMEOUT_MS),
    dnsTimeout: timeLimit(CONNECT_TIMEOUT_MS),
  };
}
