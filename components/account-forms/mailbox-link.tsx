import styles from '@/components/layout/flow.module.css';
import { useMessages } from '@/lib/browser/use-messages';
import { getMailboxSite } from '@/lib/shared/account/mailbox-sites';

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
