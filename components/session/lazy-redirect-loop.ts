import { lazy } from 'react';

/**
 * Lazy-loaded: a redirect loop is rare, and every sign-in page can show it. Without a `Suspense` of its own, the page
 * is hydrated, and replays an early click, only once the screen is loaded; if that fails, the app's error boundary
 * reports it and shows its own screen.
 */
export const RedirectLoopScreen = lazy(() => import('./redirect-loop-screen'));
