import { useTranslation } from 'next-i18next/pages';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { CourseCover } from './course-cover';
import styles from './without-courses.module.css';

export function CoursesLoading() {
  const { t } = useTranslation('courses');
  return (
    <div role="status" className={styles.waiting}>
      <span className="visually-hidden">{t('loading')}</span>
      <span className={styles.ghost} />
      <span className={styles.ghost} />
    </div>
  );
}

export function CoursesFailed({ onRetry, isBusy }: { onRetry: () => void; isBusy: boolean }) {
  const { t } = useTranslation('courses');
  return (
    <div className={styles.without}>
      <Notice tone="error">{t('failed')}</Notice>
      <Button onClick={onRetry} busy={isBusy} busyLabel={t('loading')}>
        {t('retry')}
      </Button>
    </div>
  );
}

/** No courses, or courses that only the platform shows. */
export function NoCourses() {
  const { t } = useTranslation('courses');
  const env = usePublicEnv();
  return (
    <div className={styles.without}>
      <CourseCover scene={1} />
      <p>{t('none')}</p>
      <ButtonLink kind="primary" href={callbackPolicyOf(env).dashboardUrl}>
        {t('toPlatform', { brand: env.brandName })}
      </ButtonLink>
    </div>
  );
}
