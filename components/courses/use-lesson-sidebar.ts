import { useState } from 'react';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { writeCookie } from '@/lib/cookies/browser';

/** Whether the lesson sidebar is put away; kept in a cookie, so that the next page comes as it was left. */
export function useLessonSidebar(startsHidden: boolean) {
  const { mainDomain } = usePublicEnv();
  const [isHidden, setHidden] = useState(startsHidden);
  const toggle = () => {
    setHidden(!isHidden);
    writeCookie('lessonSidebarHidden', isHidden ? '0' : '1', mainDomain);
  };
  return { isHidden, toggle };
}
