import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import type { AppConfigState } from '@/lib/config/app-config';
import { AppConfigProvider } from '@/lib/config/app-config-context';

const LateAppConfig = dynamic(() => import('./late-app-config'), { ssr: false });

type Props = {
  state: AppConfigState;
  /** Covers the screen while a late config is under way. */
  loader: ReactNode;
  children: ReactNode;
};

/** Gives a page its app config: at once when it came with the page, after the full-screen loader when it was late. */
export function AppConfigGate({ state, loader, children }: Props) {
  if (state.status === 'late') return <LateAppConfig loader={loader}>{children}</LateAppConfig>;
  return <AppConfigProvider value={state.status === 'ready' ? state.config : null}>{children}</AppConfigProvider>;
}
