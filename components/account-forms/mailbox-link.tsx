import { useEffect } from 'react';
import { reportError } from '@/lib/shared/error-reporting/report';
import styles from '@/components/layout/flow.module.css';
import { useMessages } from '@/lib/browser/use-messages';

/** Mailbox services whose domains identify their website. */
const SITES: readonly { name: string; url: string; domains: readonly string[] }[] = [
  { name: 'Gmail', url: 'https://mail.google.com/', domains: ['gmail.com', 'googlemail.com'] },
  {
    name: 'Outlook',
    url: 'https://outlook.live.com/mail/',
    domains: ['outlook.com', 'outlook.de', 'outlook.fr', 'hotmail.com', 'hotmail.co.uk', 'live.com', 'msn.com'],
  },
];

/** Returns the website of an email address's inbox, or null if its domain does not identify it. */
export function getMailboxSite(email: string): { name: string; url: string } | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const site = SITES.find(({ domains }) => domains.includes(domain));
  return site ? { name: site.name, url: site.url } : null;
}

/** Links to the inbox of an email in another tab, if its domain identifies it. This page waits for the code. */
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

/**
 * Lets the emailed link, in another tab, return to this page's destination. The code is loaded later, because few pages
 * have a destination.
 */
export function useReturnByLink(email: string): void {
  useEffect(() => {
    import('@/lib/browser/auth/link-return').then((link) => link.keepReturnForLink(email)).catch(reportError);
  }, [email]);
}
