import { lazy } from 'react';

/**
 * Lazy-loaded, because a redirect loop is rare and every sign-in page can show it. It has no `Suspense` of its own. So
 * the page hydrates, and replays an early click, only once the screen is loaded. If that fails, the app's error
 * boundary reports it and shows its own screen.
 */
export const RedirectLoopScreen = lazy(() => import('./redirect-loop-screen'));
