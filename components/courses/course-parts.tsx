import type { ReactNode } from 'react';
import type { Course } from '@/lib/shared/courses/contract';
import { getProgress } from '@/lib/browser/courses';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './cover.module.css';
import measuresStyles from './measures.module.css';

/** Must stay recognizable when cropped to a wide strip of the lower half or a narrow strip of the middle. */
const SCENES: readonly ReactNode[] = [
  <g key="hills">
    <circle cx="206" cy="104" r="17" className={styles.sun} />
    <path d="M-200 150c80-40 150-40 220-14s110 10 170-16 110-14 160 4 100 10 170-4v120h-720z" className={styles.far} />
    <path d="M-200 158c90 10 150-22 240-18s130 26 190 20 120-24 290-10v90h-720z" className={styles.near} />
    <path d="M128 182c2-16 34-16 30-34 20 12-2 20 22 34z" className={styles.light} />
  </g>,
  <g key="window">
    <path d="M-200 166h720v80h-720z" className={styles.far} />
    <path d="M122 166v-40a38 38 0 0 1 76 0v40z" className={styles.near} />
    <path d="M130 166v-39a30 30 0 0 1 60 0v39z" className={styles.light} />
    <path d="M157.5 98h5v68h-5zM130 130h60v5h-60z" className={styles.near} />
    <path d="M88 166v-30h10v30zM100 166v-38h9v38zM212 166l5-26h16l5 26z" className={styles.near} />
    <path
      d="M225 140c-14-4-15-18-12-26 10 4 14 14 12 26zm0 0c0-14 4-22 14-24 1 12-4 20-14 24z"
      className={styles.far}
    />
  </g>,
  <g key="steps">
    <path d="M-200 168h270v-16h50v-16h44v-16h356v120h-720z" className={styles.far} />
    <path d="M-200 180h296v-16h48v-16h40v-16h336v120h-720z" className={styles.near} />
    <path d="M192 132v-32a14 14 0 0 1 28 0v32z" className={styles.light} />
    <circle cx="112" cy="104" r="12" className={styles.sun} />
  </g>,
  <g key="lamp">
    <path d="M-200 164h720v80h-720z" className={styles.far} />
    <path d="M150 112l-44 52h100l-36-52z" className={styles.light} />
    <path d="M138 112a22 22 0 0 1 44 0zM196 164v-6h12v-58l-30-10 1.5-5 34.5 11v62h12v6z" className={styles.near} />
    <path d="M118 164v-8c14-5 26-5 36 0 10-5 22-5 36 0v8z" className={styles.near} />
  </g>,
];

/** A course's picture: a few flat shapes in the brand's color. @param scene any whole number from 0 */
export function CourseCover({ scene }: { scene: number }) {
  return (
    <svg
      viewBox="0 0 320 180"
      preserveAspectRatio="xMidYMax slice"
      className={styles.cover}
      aria-hidden="true"
      focusable="false"
    >
      <rect x="-200" y="-200" width="720" height="400" className={styles.sky} />
      {SCENES[scene % SCENES.length]}
    </svg>
  );
}

const HOUR = 60;

/** Progress as a bar and as text; nothing for a course without lessons. */
export function CourseProgress({ course }: { course: Course }) {
  const { t } = useMessages('courses');
  const { done, total, minutesLeft } = getProgress(course.lessons);
  if (total === 0) return null;
  const hours = Math.floor((minutesLeft ?? 0) / HOUR);
  const minutes = (minutesLeft ?? 0) % HOUR;
  return (
    <div className={measuresStyles.progress}>
      <progress value={done} max={total} aria-label={t('progress.label', { course: course.title })} />
      <p className={measuresStyles.small}>
        {t('progress.lessons', { done, count: total })}
        {minutesLeft !== null && minutesLeft > 0 && (
          <span>
            {hours > 0 ? t('progress.hoursLeft', { hours, minutes }) : t('progress.minutesLeft', { minutes })}
          </span>
        )}
      </p>
    </div>
  );
}
