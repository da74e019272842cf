import { toPlainText } from './plain-text';

/** Domains of public mailboxes, which many people use and no organization signs in with. Configuration adds others. */
// cspell:disable
// oxfmt-ignore
export const PUBLIC_MAILBOXES: readonly string[] = [
  'gmail.com', 'googlemail.com', 'outlook.com', 'outlook.de', 'outlook.fr', 'hotmail.com', 'hotmail.co.uk', 'hotmail.fr',
  'hotmail.it', 'hotmail.de', 'hotmail.es', 'live.com', 'live.co.uk', 'msn.com', 'yahoo.com', 'yahoo.co.uk', 'yahoo.co.in',
  'yahoo.co.jp', 'yahoo.fr', 'yahoo.de', 'yahoo.it', 'yahoo.es', 'yahoo.com.br', 'ymail.com', 'rocketmail.com', 'icloud.com',
  'me.com', 'mac.com', 'aol.com', 'proton.me', 'protonmail.com', 'pm.me', 'fastmail.com', 'mail.com', 'email.com', 'zoho.com',
  'gmx.com', 'gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'web.de', 't-online.de', 'freenet.de', 'posteo.de', 'mailbox.org',
  'orange.fr', 'free.fr', 'laposte.net', 'wanadoo.fr', 'sfr.fr', 'libero.it', 'virgilio.it', 'btinternet.com', 'comcast.net',
  'verizon.net', 'att.net', 'sbcglobal.net', 'wp.pl', 'o2.pl', 'onet.pl', 'interia.pl', 'seznam.cz', 'yandex.com', 'yandex.ru',
  'mail.ru', 'qq.com', '163.com', '126.com', 'naver.com', 'uol.com.br', 'bol.com.br', 'rediffmail.com',
];

/** A shorter name differs by a single slip from too many others. */
const LEAST_NAME_LENGTH = 5;
const PUBLIC_CANDIDATES = PUBLIC_MAILBOXES.filter((domain) => domain.indexOf('.') >= LEAST_NAME_LENGTH);

/**
 * Suggests a correction for a mistyped email address.
 * @param common domains of these learners, which are tried before the public domains
 * @returns the email address with a corrected domain, or null if nothing looks mistyped
 */
export function suggestEmail(email: string, common: readonly string[]): string | null {
  const [, local, typed] = /^([^@\s]+)@([^@\s]+)$/.exec(toPlainText(email).trim()) ?? [];
  if (local === undefined || typed === undefined) return null;
  const domain = typed.toLowerCase();
  if (common.includes(domain) || PUBLIC_MAILBOXES.includes(domain)) return null;
  const meant = [...common, ...PUBLIC_CANDIDATES].find((candidate) => isOneSlipAway(domain, candidate));
  return meant === undefined ? null : `${local}@${meant}`;
}

/** Whether a single character was added, omitted or changed, or two neighbors were swapped. */
function isOneSlipAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  const swapped =
    restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return swapped || restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
}
