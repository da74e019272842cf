import type { ReactNode } from 'react';
import type { AppConfigState } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PublicEnvProvider } from '@/lib/browser/config/public-env-context';
import { AppConfigGate } from './app-config-gate';
import { FullScreenLoader } from './full-screen-loader';
import { Notifications } from './notifications';

type Props = { publicEnv: PublicEnv; appConfig: AppConfigState; session: ReactNode; children: ReactNode };

/** Wraps every page that has its configuration. `session` is rendered outside the app config gate, so it never waits. */
export function PageFrame({ publicEnv, appConfig, session, children }: Props) {
  return (
    <PublicEnvProvider value={publicEnv}>
      {session}
      <AppConfigGate state={appConfig} loader={<FullScreenLoader />}>
        {children}
      </AppConfigGate>
      <Notifications />
    </PublicEnvProvider>
  );
}
