/** Mailbox services whose domains tell where the inbox is on the web. */
const SITES: readonly { name: string; url: string; domains: readonly string[] }[] = [
  { name: 'Gmail', url: 'https://mail.google.com/', domains: ['gmail.com', 'googlemail.com'] },
  {
    name: 'Outlook',
    url: 'https://outlook.live.com/mail/',
    domains: ['outlook.com', 'outlook.de', 'outlook.fr', 'hotmail.com', 'hotmail.co.uk', 'live.com', 'msn.com'],
  },
];

/** The web site of an email address's inbox; null if its domain does not tell. */
export function getMailboxSite(email: string): { name: string; url: string } | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const site = SITES.find(({ domains }) => domains.includes(domain));
  return site ? { name: site.name, url: site.url } : null;
}
