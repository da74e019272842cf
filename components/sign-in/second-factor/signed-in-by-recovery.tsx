import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** The session is open: how many recovery codes there are left, before the destination. */
export function SignedInByRecovery({ codesLeft }: { codesLeft: number }) {
  const { t } = useMessages('second-factor');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('recovered.heading')}>
      <Notice tone="info">{codesLeft === 0 ? t('recovered.none') : t('recovered.left', { count: codesLeft })}</Notice>
      <Button onClick={() => goToCallback(env)}>{t('continue')}</Button>
      <div className={styles.links}>
        {/* The page needs its own document (lib/browser/page-start/document-policy.ts). */}
        <a href={`${paths.security}#security-second-factor`}>{t('recovered.renew')}</a>
      </div>
    </AuthLayout>
  );
}
