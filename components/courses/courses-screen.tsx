import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useState, useEffect, useRef } from 'react';
import { useRouter } from 'next/router';
import { SignedInShell } from '@/components/session/signed-in-shell';
import type { CoursesResponse, Course } from '@/lib/shared/courses/contract';
import { useMessages, useLanguage } from '@/lib/browser/use-messages';
import { queryClient } from '@/lib/browser/query-client';
import { usePublicEnv } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { Button, ButtonLink } from '@/components/ui/button';
import { getNextLesson, getChosenCourse, getProgress, type Progress, coursesQuery } from '@/lib/browser/courses';
import { displayDate } from '@/lib/browser/dates';
import { PageLink } from '@/components/ui/page-link';
import { paths, queryNames } from '@/lib/shared/paths';
import { Notice } from '@/components/ui/notice';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { LessonSidebar, LessonTypes } from './lessons';
import { CourseCover, CourseProgress } from './course-parts';
import styles from './course-layout.module.css';
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
  const state = useCourses(initialCourses);
  if (state.name === 'loading')
    return (
      <SignedInShell heading={t('heading')}>
        <CoursesLoading />
      </SignedInShell>
    );
  if (state.name === 'failed')
    return (
      <SignedInShell heading={t('heading')}>
        <CoursesFailed onRetry={state.retry} isBusy={state.isRetrying} />
      </SignedInShell>
    );
  if (state.course === null)
    return (
      <SignedInShell heading={t('heading')}>
        <NoCourses />
      </SignedInShell>
    );
  const { done, total } = state.progress;
  return (
    <SignedInShell heading={t('heading')} lead={total === 0 ? undefined : t('lead', { done, count: total })}>
      <CourseLayout course={state.course} others={state.others} sidebarHidden={sidebarHidden} />
    </SignedInShell>
  );
}

type CourseLayoutProps = { course: ShownCourse; others: ShownCourse[]; sidebarHidden: boolean };

const SIDEBAR = 'lessons';

/** The selected course, its lessons beside it unless collapsed, and the other courses below. */
function CourseLayout({ course, others, sidebarHidden }: CourseLayoutProps) {
  const { isHidden, toggle } = useLessonSidebar(sidebarHidden);
  return (
    <div className={`${styles.layout ?? ''} ${isHidden ? '' : (styles.withSidebar ?? '')}`}>
      <CurrentCourse course={course} sidebar={{ id: SIDEBAR, isHidden, toggle }} />
      <LessonSidebar id={SIDEBAR} course={course} isHidden={isHidden} />
      {others.length > 0 && <OtherCourses courses={others} />}
    </div>
  );
}

/** Whether the lesson sidebar is collapsed; stored in a cookie so that the next page renders in the same state. */
function useLessonSidebar(startsHidden: boolean) {
  const { mainDomain } = usePublicEnv();
  const [isHidden, setHidden] = useState(startsHidden);
  const toggle = () => {
    setHidden(!isHidden);
    writeCookie('lessonSidebarHidden', isHidden ? '0' : '1', mainDomain);
  };
  return { isHidden, toggle };
}

type CurrentCourseProps = { course: ShownCourse; sidebar: { id: string; isHidden: boolean; toggle: () => void } };

/** The learner's position in the course, and the one button that continues from there. */
function CurrentCourse({ course, sidebar }: CurrentCourseProps) {
  const { t } = useMessages('courses');
  const language = useLanguage();
  const heading = useFocusOnChange(course.id);
  const next = getNextLesson(course);
  const isFinished = next === null && course.lessons.length > 0;
  const target = next?.url ?? course.url;
  const opened = displayDate(course.lastOpenedOn, language);
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
            {isFinished && t('finished')}
            {next !== null && t('next', { lesson: next.title })}
            {opened !== null && <span className={styles.opened}>{t('opened', { date: opened })}</span>}
          </p>
          <div className={styles.actions}>
            {target !== undefined && (
              <ButtonLink kind="primary" href={target}>
                {next !== null && next.status !== 'completed' && t(`go.${next.status}`)}
                {next === null && (isFinished ? t('again') : t('open'))}
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

/** Moves keyboard and screen reader focus to a newly selected course. */
function useFocusOnChange(id: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(id);
  useEffect(() => {
    if (shown.current !== id) heading.current?.focus();
    shown.current = id;
  }, [id]);
  return heading;
}

/** The courses that are not selected; clicking one selects it. */
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
                <PageLink href={`${paths.courses}?${queryNames.course}=${encodeURIComponent(course.id)}`} shallow>
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

function CoursesLoading() {
  const { t } = useMessages('courses');
  return (
    <div role="status" className={withoutCoursesStyles.waiting}>
      <span className="visually-hidden">{t('loading')}</span>
      <span className={withoutCoursesStyles.ghost} />
      <span className={withoutCoursesStyles.ghost} />
    </div>
  );
}

function CoursesFailed({ onRetry, isBusy }: { onRetry: () => void; isBusy: boolean }) {
  const { t } = useMessages('courses');
  return (
    <div className={withoutCoursesStyles.without}>
      <Notice tone="error">{t('failed')}</Notice>
      <Button onClick={onRetry} busy={isBusy} busyLabel={t('loading')}>
        {t('retry')}
      </Button>
    </div>
  );
}

/** The learner has no courses, or only the platform can show them. */
function NoCourses() {
  const { t } = useMessages('courses');
  const env = usePublicEnv();
  return (
    <div className={withoutCoursesStyles.without}>
      <CourseCover scene={1} />
      <p>{t('none')}</p>
      <ButtonLink kind="primary" href={getCallbackPolicy(env).dashboardUrl}>
        {t('toPlatform', { brand: env.brandName })}
      </ButtonLink>
    </div>
  );
}

/** A course with the number of its picture. */
type ShownCourse = Course & { scene: number };

type CoursesState =
  | { name: 'loading' }
  | { name: 'failed'; retry: () => void; isRetrying: boolean }
  | { name: 'shown'; course: ShownCourse | null; others: ShownCourse[]; progress: Progress };

/** The learner's courses, and the one selected by the URL. @param initialCourses the server-rendered data */
function useCourses(initialCourses: CoursesResponse | null): CoursesState {
  const { query } = useRouter();
  const { data, isError, isFetching, refetch } = useQuery({
    ...coursesQuery,
    ...(initialCourses === null ? {} : { initialData: initialCourses }),
  });
  if (data === undefined)
    return isError ? { name: 'failed', retry: () => void refetch(), isRetrying: isFetching } : { name: 'loading' };
  const courses = data.courses.map((found, scene) => ({ ...found, scene }));
  const course = getChosenCourse(courses, query[queryNames.course]);
  const others = courses.filter(({ id }) => id !== course?.id);
  return { name: 'shown', course, others, progress: getProgress(courses.flatMap(({ lessons }) => lessons)) };
}
