import { Button } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { deletionPage } from '@/lib/shared/paths';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './mobile.module.css';
import { useAccountChoice } from './use-account-choice';

export type Selection = { request: string; name: string | null; email: string | null; canDelete: boolean };

/** The button that was pressed is gone: the link that opens the app again takes the focus. */
const focusOn = (link: HTMLAnchorElement | null) => link?.focus();

export function AccountChoice({ selection }: { selection: Selection }) {
  const { t } = useMessages('mobile');
  const { phase, goOn, signIn, another } = useAccountChoice(selection.request, selection.email);
  const who = selection.name ?? selection.email ?? t('thisAccount');
  const needsSignIn = phase.name === 'sign-in-required';
  return (
    <div className={styles.stack}>
      {phase.name === 'failed' && <Notice tone="error">{t(`failed.${phase.reason}`)}</Notice>}
      {needsSignIn && <Notice tone="info">{t('signIn')}</Notice>}
      <p className={styles.account}>
        <strong>{who}</strong>
        {selection.name !== null && selection.email !== null && <span>{selection.email}</span>}
      </p>
      {phase.name === 'sent' ? (
        <Notice tone="success">
          {t('sent')}{' '}
          <a href={phase.address} ref={focusOn}>
            {t('openApp')}
          </a>
        </Notice>
      ) : (
        <>
          {/* One button that changes its label: it was just clicked and must keep the focus. */}
          <Button
            busy={needsSignIn ? phase.leaving : phase.name === 'asking'}
            busyLabel={needsSignIn ? t('common:signingOut') : t('asking')}
            onClick={needsSignIn ? signIn : goOn}
          >
            {needsSignIn ? t('common:signInAgain') : t('continueAs', { name: who })}
          </Button>
          <Button kind="secondary" busy={phase.name === 'leaving'} busyLabel={t('common:signingOut')} onClick={another}>
            {t('another')}
          </Button>
        </>
      )}
      {selection.canDelete && (
        <PageLink className={styles.link ?? ''} href={deletionPage}>
          {t('delete')}
        </PageLink>
      )}
    </div>
  );
}
