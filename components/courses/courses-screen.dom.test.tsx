import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from '@/lib/browser/query-client';
import { renderAtOrigin } from '@/tests/support/render';
import { CoursesScreen } from './courses-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ pathname: '/user/courses', query: {} }) }));
afterEach(() => {
  cleanup();
  queryClient().clear();
});

it.each([
  ['only the platform can show the courses', true, 'Your courses are on the learning platform.'],
  ['a learner has no courses', false, "You don't have any courses yet. Find one on the learning platform."],
])('says where %s', (_, elsewhere, text) => {
  renderAtOrigin([], <CoursesScreen initialCourses={{ courses: [], elsewhere }} sidebarHidden={false} />);
  expect(screen.queryByText(text)).not.toBeNull();
});
