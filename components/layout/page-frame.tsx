import type { ReactNode } from 'react';
import type { AppConfigState } from '@/lib/config/app-config';
import type { PublicEnv } from '@/lib/config/public-env';
import { PublicEnvProvider } from '@/lib/config/public-env-context';
import { AppConfigGate } from './app-config-gate';
import { AppStart } from './app-start';
import { FullScreenLoader } from './full-screen-loader';
import { Notifications } from './notifications';

type Props = { publicEnv: PublicEnv; appConfig: AppConfigState; bounced: boolean; children: ReactNode };

/** What surrounds every page that has its configuration. */
export function PageFrame({ publicEnv, appConfig, bounced, children }: Props) {
  return (
    <PublicEnvProvider value={publicEnv}>
      <AppStart bounced={bounced} />
      <AppConfigGate state={appConfig} loader={<FullScreenLoader />}>
        {children}
      </AppConfigGate>
      <Notifications />
    </PublicEnvProvider>
  );
}
