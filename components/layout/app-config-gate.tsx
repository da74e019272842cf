import { Suspense, type ReactNode } from 'react';
import { useClientValue } from '@/lib/browser/use-client-value';
import type { AppConfigState } from '@/lib/shared/config/app-config';
import { AppConfigProvider } from '@/lib/browser/config/app-config-context';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';

const LateAppConfig = lazyWithFallback(
  () => import('./late-app-config'),
  ({ children }) => children,
);

type Props = {
  state: AppConfigState;
  /** Covers the screen while a late config is loading. */
  loader: ReactNode;
  children: ReactNode;
};

/** Provides the app config to a page: immediately if it came with the page, or after a full-screen loader if late. */
export function AppConfigGate({ state, loader, children }: Props) {
  const inBrowser = useClientValue(() => true, false);
  if (state.status === 'late' && !inBrowser) return loader;
  if (state.status === 'late') {
    return (
      <Suspense fallback={loader}>
        <LateAppConfig loader={loader}>{children}</LateAppConfig>
      </Suspense>
    );
  }
  return <AppConfigProvider value={state.status === 'ready' ? state.config : null}>{children}</AppConfigProvider>;
}
