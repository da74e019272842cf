import styles from '@/components/layout/full-screen-loader.module.css';
import { FullScreenLoader } from '@/components/layout/page-frame';
import { Notice } from '@/components/ui/notice';
import { PageTitle } from '@/components/ui/page-title';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { ActionMode } from '@/lib/shared/account/email-action';

type CheckedMode = Extract<ActionMode, 'resetPassword' | 'signIn' | 'verifyEmail'>;

/** Until it is known what a link leads to. A screen of its own, with a title: the focus goes to the heading of the one that follows. */
export function CheckingLink({ mode }: { mode: CheckedMode }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const brand = useAppConfig()?.brandName ?? env.brandName;
  const headings = {
    resetPassword: t('heading.resetPassword'),
    signIn: t('heading.signIn'),
    verifyEmail: t('heading.verifyEmail'),
  };
  return (
    <PageTitle title={t('common:title.page', { page: headings[mode], brand })}>
      <FullScreenLoader />
      <noscript>
        <div className={styles.noScript}>
          <Notice tone="error">{t('common:form.noScript')}</Notice>
        </div>
      </noscript>
    </PageTitle>
  );
}
