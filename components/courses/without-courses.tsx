import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { CourseCover } from './course-cover';
import styles from './without-courses.module.css';

export function CoursesLoading() {
  const { t } = useMessages('courses');
  return (
    <div role="status" className={styles.waiting}>
      <span className="visually-hidden">{t('loading')}</span>
      <span className={styles.ghost} />
      <span className={styles.ghost} />
    </div>
  );
}

export function CoursesFailed({ onRetry, isBusy }: { onRetry: () => void; isBusy: boolean }) {
  const { t } = useMessages('courses');
  return (
    <div className={styles.without}>
      <Notice tone="error">{t('failed')}</Notice>
      <Button onClick={onRetry} busy={isBusy} busyLabel={t('loading')}>
        {t('retry')}
      </Button>
    </div>
  );
}

/** The learner has no courses, or only the platform can show them. */
export function NoCourses() {
  const { t } = useMessages('courses');
  const env = usePublicEnv();
  return (
    <div className={styles.without}>
      <CourseCover scene={1} />
      <p>{t('none')}</p>
      <ButtonLink kind="primary" href={getCallbackPolicy(env).dashboardUrl}>
        {t('toPlatform', { brand: env.brandName })}
      </ButtonLink>
    </div>
  );
}
