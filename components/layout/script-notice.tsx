import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './script-notice.module.css';

/**
 * For browsers that do not run scripts, and for a page whose scripts have not arrived when a form is submitted
 * (lib/server/http/document/early-script.ts).
 */
export function ScriptNotice() {
  const { t } = useMessages('common');
  return (
    <>
      <noscript>
        <Notice tone="error">{t('form.noScript')}</Notice>
      </noscript>
      <div className={styles.late}>
        <Notice tone="error">{t('form.notReady')}</Notice>
      </div>
    </>
  );
}
