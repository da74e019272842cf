import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { SignedInShell } from '@/components/session/signed-in-shell';
import type { CoursesResponse } from '@/lib/shared/courses/contract';
import { useMessages } from '@/lib/browser/use-messages';
import { queryClient } from '@/lib/browser/query-client';
import { CourseLayout } from './course-layout';
import { useCourses } from './use-courses';
import { CoursesFailed, CoursesLoading, NoCourses } from './without-courses';

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
