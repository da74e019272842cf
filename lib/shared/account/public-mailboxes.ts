/** Mailbox domains that many people have, and that no organization signs in with. Configuration adds others. */
// cspell:disable
// prettier-ignore
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
