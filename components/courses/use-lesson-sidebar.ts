import { useState } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { writeCookie } from '@/lib/browser/cookies';

/** Whether the lesson sidebar is collapsed; stored in a cookie so that the next page renders in the same state. */
export function useLessonSidebar(startsHidden: boolean) {
  const { mainDomain } = usePublicEnv();
  const [isHidden, setHidden] = useState(startsHidden);
  const toggle = () => {
    setHidden(!isHidden);
    writeCookie('lessonSidebarHidden', isHidden ? '0' : '1', mainDomain);
  };
  return { isHidden, toggle };
}
