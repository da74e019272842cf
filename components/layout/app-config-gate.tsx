import { Suspense, type ReactNode } from 'react';
import { useBrowserFact } from '@/lib/browser-fact';
import type { AppConfigState } from '@/lib/config/app-config';
import { AppConfigProvider } from '@/lib/config/app-config-context';
import { latePart } from '@/lib/late-part';

const LateAppConfig = latePart(
  () => import('./late-app-config'),
  ({ children }) => children,
);

type Props = {
  state: AppConfigState;
  /** Covers the screen while a late config is under way. */
  loader: ReactNode;
  children: ReactNode;
};

/** Gives a page its app config: at once when it came with the page, after the full-screen loader when it was late. */
export function AppConfigGate({ state, loader, children }: Props) {
  const inBrowser = useBrowserFact(() => true, false);
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
