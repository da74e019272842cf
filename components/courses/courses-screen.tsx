import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { SignedInShell } from '@/components/session/signed-in-shell';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { COURSE_QUERY, coursesQuery, getChosenCourse, getNextLesson, getProgress } from '@/lib/browser/courses';
import { displayDate } from '@/lib/browser/dates';
import { queryClient } from '@/lib/browser/query-client';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import type { Course, CoursesResponse } from '@/lib/shared/courses/contract';
import { paths } from '@/lib/shared/paths';
import styles from './course-layout.module.css';
import partStyles from './course-parts.module.css';
import { LessonSidebar, LessonTypes } from './lessons';
import otherCoursesStyles from './other-courses.module.css';
import withoutCoursesStyles from './without-courses.module.css';

type Props = { initialCourses: CoursesResponse | null; sidebarHidden: boolean };

/** A learner's courses: the selected one with its lessons, and the others (docs/product.md#screens). */
export function CoursesScreen(props: Props) {
  const [client] = useState(queryClient);
  return (
    <QueryClientProvider client={client}>
      <Courses {...props} />
    </QueryClientProvider>
  );
}

function Courses({ initialCourses, sidebarHidden }: Props) {
  const { t } = useMessages('courses');
  const { query } = useRouter();
  const { data, isError, isFetching, refetch } = useQuery({
    ...coursesQuery,
    ...(initialCourses === null ? {} : { initialData: initialCourses }),
  });
  const courses = data?.courses.map((found, scene) => ({ ...found, scene })) ?? [];
  const { done, total } = getProgress(courses.flatMap(({ lessons }) => lessons));
  const course = getChosenCourse(courses, query[COURSE_QUERY]);
  return (
    <SignedInShell heading={t('heading')} lead={total === 0 ? undefined : t('lead', { done, count: total })}>
      {data === undefined && !isError && (
        <div role="status" className={withoutCoursesStyles.waiting}>
          <span className="visually-hidden">{t('loading')}</span>
          <span className={withoutCoursesStyles.ghost} />
          <span className={withoutCoursesStyles.ghost} />
        </div>
      )}
      {data === undefined && isError && (
        <div className={withoutCoursesStyles.without}>
          <Notice tone="error">{t('failed')}</Notice>
          <Button onClick={() => void refetch()} busy={isFetching} busyLabel={t('loading')}>
            {t('retry')}
          </Button>
        </div>
      )}
      {data !== undefined && course === null && <NoCourses elsewhere={data.elsewhere} />}
      {course !== null && (
        <CourseLayout
          course={course}
          others={courses.filter(({ id }) => id !== course.id)}
          sidebarHidden={sidebarHidden}
        />
      )}
    </SignedInShell>
  );
}

type CourseLayoutProps = { course: ShownCourse; others: ShownCourse[]; sidebarHidden: boolean };

const SIDEBAR = 'lessons';

/** The selected course, its lessons beside it unless collapsed, and the other courses below. */
function CourseLayout({ course, others, sidebarHidden }: CourseLayoutProps) {
  const { mainDomain } = usePublicEnv();
  const [isHidden, setHidden] = useState(sidebarHidden);
  const toggle = () => {
    setHidden(!isHidden);
    // The next page renders in the same state.
    writeCookie('lessonSidebarHidden', isHidden ? '0' : '1', mainDomain);
  };
  return (
    <div className={`${styles.layout ?? ''} ${isHidden ? '' : (styles.withSidebar ?? '')}`}>
      <CurrentCourse course={course} sidebar={{ id: SIDEBAR, isHidden, toggle }} />
      <LessonSidebar id={SIDEBAR} course={course} isHidden={isHidden} />
      {others.length > 0 && <OtherCourses courses={others} />}
    </div>
  );
}

type CurrentCourseProps = { course: ShownCourse; sidebar: { id: string; isHidden: boolean; toggle: () => void } };

/** The learner's position in the course, and the button that continues from there. */
function CurrentCourse({ course, sidebar }: CurrentCourseProps) {
  const { t } = useMessages('courses');
  const language = useLanguage();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(course.id);
  // The focus moves to a newly selected course.
  useEffect(() => {
    if (shown.current !== course.id) heading.current?.focus();
    shown.current = course.id;
  }, [course.id]);
  const next = getNextLesson(course);
  const isFinished = next === null && course.lessons.length > 0;
  const target = next?.url ?? course.url;
  const opened = displayDate(course.lastOpenedOn, language);
  const whenDone = isFinished ? t('again') : t('open');
  const goOnText = next === null ? whenDone : next.status !== 'completed' && t(`go.${next.status}`);
  return (
    <section className={styles.current} aria-labelledby="current-course">
      <CourseCover scene={course.scene} />
      <div className={styles.story}>
        <div className={styles.head}>
          <h2 id="current-course" ref={heading} tabIndex={-1}>
            <bdi>{course.title}</bdi>
          </h2>
          {course.summary !== undefined && (
            <p className={styles.soft}>
              <bdi>{course.summary}</bdi>
            </p>
          )}
          <LessonTypes lessons={course.lessons} />
        </div>
        <CourseProgress course={course} />
        <div className={styles.onward}>
          <p>
            {isFinished && <span>{t('finished')}</span>}
            {next !== null && <span>{t('next', { lesson: next.title })}</span>}
            {opened !== null && <span className={styles.opened}>{t('opened', { date: opened })}</span>}
          </p>
          <div className={styles.actions}>
            {target !== undefined && (
              <ButtonLink kind="primary" href={target}>
                {goOnText}
              </ButtonLink>
            )}
            <Button
              kind="secondary"
              aria-expanded={!sidebar.isHidden}
              aria-controls={sidebar.id}
              onClick={sidebar.toggle}
            >
              {sidebar.isHidden ? t('lessons.show') : t('lessons.hide')}
            </Button>
          </div>
        </div>
      </div>
    </section>
  );
}

/** The courses that are not selected. A click selects the course. */
function OtherCourses({ courses }: { courses: readonly ShownCourse[] }) {
  const { t } = useMessages('courses');
  return (
    <section className={otherCoursesStyles.others} aria-labelledby="other-courses">
      <h2 id="other-courses">{t('others')}</h2>
      <ul>
        {courses.map((course) => (
          <li key={course.id} className={otherCoursesStyles.card}>
            <CourseCover scene={course.scene} />
            <div className={otherCoursesStyles.cardStory}>
              <h3>
                <PageLink href={`${paths.courses}?${COURSE_QUERY}=${encodeURIComponent(course.id)}`} shallow>
                  <bdi>{course.title}</bdi>
                </PageLink>
              </h3>
              <CourseProgress course={course} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shown if the learner has no courses, or only the platform can show them. */
function NoCourses({ elsewhere }: Pick<CoursesResponse, 'elsewhere'>) {
  const { t } = useMessages('courses');
  const env = usePublicEnv();
  const brand = useBrand().name;
  return (
    <div className={withoutCoursesStyles.without}>
      <CourseCover scene={1} />
      <p>{elsewhere ? t('elsewhere') : t('none')}</p>
      <ButtonLink kind="primary" href={getCallbackPolicy(env).dashboardUrl}>
        {t('toPlatform', { brand })}
      </ButtonLink>
    </div>
  );
}

/** A course with the number of its picture. */
type ShownCourse = Course & { scene: number };

/** Must be recognizable when cropped to a wide strip of the lower half or a narrow strip of the middle. */
const SCENES: readonly ReactNode[] = [
  <g key="hills">
    <circle cx="206" cy="104" r="17" className={partStyles.sun} />
    <path
      d="M-200 150c80-40 150-40 220-14s110 10 170-16 110-14 160 4 100 10 170-4v120h-720z"
      className={partStyles.far}
    />
    <path d="M-200 158c90 10 150-22 240-18s130 26 190 20 120-24 290-10v90h-720z" className={partStyles.near} />
    <path d="M128 182c2-16 34-16 30-34 20 12-2 20 22 34z" className={partStyles.light} />
  </g>,
  <g key="window">
    <path d="M-200 166h720v80h-720z" className={partStyles.far} />
    <path d="M122 166v-40a38 38 0 0 1 76 0v40z" className={partStyles.near} />
    <path d="M130 166v-39a30 30 0 0 1 60 0v39z" className={partStyles.light} />
    <path d="M157.5 98h5v68h-5zM130 130h60v5h-60z" className={partStyles.near} />
    <path d="M88 166v-30h10v30zM100 166v-38h9v38zM212 166l5-26h16l5 26z" className={partStyles.near} />
    <path
      d="M225 140c-14-4-15-18-12-26 10 4 14 14 12 26zm0 0c0-14 4-22 14-24 1 12-4 20-14 24z"
      className={partStyles.far}
    />
  </g>,
  <g key="steps">
    <path d="M-200 168h270v-16h50v-16h44v-16h356v120h-720z" className={partStyles.far} />
    <path d="M-200 180h296v-16h48v-16h40v-16h336v120h-720z" className={partStyles.near} />
    <path d="M192 132v-32a14 14 0 0 1 28 0v32z" className={partStyles.light} />
    <circle cx="112" cy="104" r="12" className={partStyles.sun} />
  </g>,
  <g key="lamp">
    <path d="M-200 164h720v80h-720z" className={partStyles.far} />
    <path d="M150 112l-44 52h100l-36-52z" className={partStyles.light} />
    <path d="M138 112a22 22 0 0 1 44 0zM196 164v-6h12v-58l-30-10 1.5-5 34.5 11v62h12v6z" className={partStyles.near} />
    <path d="M118 164v-8c14-5 26-5 36 0 10-5 22-5 36 0v8z" className={partStyles.near} />
  </g>,
];

/** A course's picture of a few flat shapes in the brand's color. @param scene any whole number from 0 */
function CourseCover({ scene }: { scene: number }) {
  return (
    <svg viewBox="0 0 320 180" preserveAspectRatio="xMidYMax slice" className={partStyles.cover} aria-hidden="true">
      <rect x="-200" y="-200" width="720" height="400" className={partStyles.sky} />
      {SCENES[scene % SCENES.length]}
    </svg>
  );
}

const HOUR = 60;

/** Progress as a bar and as text. Empty for a course without lessons. */
function CourseProgress({ course }: { course: Course }) {
  const { t } = useMessages('courses');
  const { done, total, minutesLeft } = getProgress(course.lessons);
  if (total === 0) return null;
  const hours = Math.floor((minutesLeft ?? 0) / HOUR);
  const minutes = (minutesLeft ?? 0) % HOUR;
  return (
    <div className={partStyles.progress}>
      <progress value={done} max={total} aria-label={t('progress.label', { course: course.title })} />
      <p className={partStyles.small}>
        <span>{t('progress.lessons', { done, count: total })}</span>
        {minutesLeft !== null && minutesLeft > 0 && (
          <span>
            {hours > 0 ? t('progress.hoursLeft', { hours, minutes }) : t('progress.minutesLeft', { minutes })}
          </span>
        )}
      </p>
    </div>
  );
}
