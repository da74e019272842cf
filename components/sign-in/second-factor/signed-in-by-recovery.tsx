import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import { pathToPart } from '@/lib/shared/security-parts';

/** The session is open: how many recovery codes there are left, before the destination. */
export function SignedInByRecovery({ codesLeft, onContinue }: { codesLeft: number; onContinue: () => void }) {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('recovered.heading')}>
      <Notice tone="info">{codesLeft === 0 ? t('recovered.none') : t('recovered.left', { count: codesLeft })}</Notice>
      <Button onClick={onContinue}>{t('continue')}</Button>
      <div className={styles.links}>
        {/* The page needs its own document (lib/browser/page-start/document-policy.ts). */}
        <a href={pathToPart('two-step-verification')}>{t('recovered.renew')}</a>
      </div>
    </AuthLayout>
  );
}
