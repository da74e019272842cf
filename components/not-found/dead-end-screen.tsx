import styles from '@/components/layout/flow.module.css';
import { PlainLayout } from '@/components/layout/plain-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = { kind: 'notFound' | 'failure' };

/** A page that does not exist or failed: shows the error, a button that loads it again, and a link to sign-in. */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useMessages('not-found');
  const canRetry = kind === 'failure';
  return (
    <PlainLayout heading={t(`${kind}.heading`)} lead={t(`${kind}.lead`)}>
      <div className={styles.stack}>
        {canRetry && <Button onClick={() => window.location.reload()}>{t('again')}</Button>}
        <ButtonLink kind={canRetry ? 'secondary' : 'primary'} href={paths.signIn}>
          {t('toSignIn')}
        </ButtonLink>
      </div>
    </PlainLayout>
  );
}
