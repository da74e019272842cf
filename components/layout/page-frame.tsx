import type { ReactNode } from 'react';
import type { AppConfigState } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PublicEnvProvider } from '@/lib/browser/config/public-env-context';
import { AppConfigGate } from './app-config-gate';
import { SessionBootstrap } from '@/components/session/session-bootstrap';
import { FullScreenLoader } from './full-screen-loader';
import { Notifications } from './notifications';

type Props = { publicEnv: PublicEnv; appConfig: AppConfigState; bounced: boolean; children: ReactNode };

/** Wraps every page that has its configuration. */
export function PageFrame({ publicEnv, appConfig, bounced, children }: Props) {
  return (
    <PublicEnvProvider value={publicEnv}>
      <SessionBootstrap bounced={bounced} />
      <AppConfigGate state={appConfig} loader={<FullScreenLoader />}>
        {children}
      </AppConfigGate>
      <Notifications />
    </PublicEnvProvider>
  );
}
