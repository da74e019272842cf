import { useEffect } from 'react';
import { reportError } from '@/lib/shared/error-reporting/report';
import styles from '@/components/layout/flow.module.css';
import { useMessages } from '@/lib/browser/use-messages';

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

/** Opens the inbox that an email was sent to in another tab, where its domain tells: this page waits for the code. */
export function MailboxLink({ email }: { email: string }) {
  const { t } = useMessages('one-time-code');
  const site = getMailboxSite(email);
  if (site === null) return null;
  return (
    <p className={styles.aside}>
      <a href={site.url} target="_blank" rel="noopener noreferrer">
        {t('openMailbox', { name: site.name })}
      </a>
    </p>
  );
}

/** The emailed link, opened in another tab, returns to the page that this one was to return to. Few pages have any: none loads it first. */
export function useReturnByLink(email: string): void {
  useEffect(() => {
    import('@/lib/browser/auth/link-return').then((link) => link.keepReturnForLink(email)).catch(reportError);
  }, [email]);
}
