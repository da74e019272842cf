import Router from 'next/router';
import { Component, Suspense, useEffect, type ReactNode } from 'react';
import { Toasts, showToast } from '@/components/ui/toasts';
import { onAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { takeFromAddress } from '@/lib/browser/callback';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { lazyWithFallback, useClientValue } from '@/lib/browser/hooks';
import { needsOwnDocument } from '@/lib/browser/page-start';
import { useMessages } from '@/lib/browser/use-messages';
import type { AppConfigState } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { TOASTS, isToastKey, type ToastKey } from '@/lib/shared/notifications';
import type { PageNotification } from '@/lib/shared/page-notifications';
import { reportError } from '@/lib/shared/error-reporting/report';
import { queryNames } from '@/lib/shared/paths';
import { BrandHead } from './brand-head';
import { NotificationContext } from './page-notice';
import styles from './full-screen-loader.module.css';

type Props = {
  publicEnv: PublicEnv;
  appConfig: AppConfigState;
  /** The message that stays on the page, if its URL asks for one. */
  notification: PageNotification | undefined;
  session: ReactNode;
  children: ReactNode;
};

/** Wraps every page that has its configuration. `session` is rendered outside the app config gate, so it never waits. */
export function PageFrame({ publicEnv, appConfig, notification, session, children }: Props) {
  return (
    <PublicEnvProvider value={publicEnv}>
      {session}
      <NotificationContext value={notification}>
        <AppConfigGate state={appConfig}>{children}</AppConfigGate>
      </NotificationContext>
      <Notifications />
    </PublicEnvProvider>
  );
}

const LateAppConfig = lazyWithFallback(
  () => import('./late-app-config'),
  ({ children }) => children,
);

/** Provides the app config to a page: immediately if it came with the page, or after a full-screen loader if late. */
export function AppConfigGate({ state, children }: { state: AppConfigState; children: ReactNode }) {
  const inBrowser = useClientValue(() => true, false);
  if (state.status !== 'late')
    return (
      <AppConfigProvider value={state.status === 'ready' ? state.config : null}>
        <BrandHead />
        {children}
      </AppConfigProvider>
    );
  const loader = <FullScreenLoader />;
  return (
    <Suspense fallback={loader}>
      {inBrowser ? <LateAppConfig loader={loader}>{children}</LateAppConfig> : loader}
    </Suspense>
  );
}

/** Shows the toast requested by `?notification=` once, and one for a failed auto sign-in (docs/product.md#routes). */
function Notifications() {
  const { t } = useMessages('common');
  useEffect(() => {
    // The page is about to be loaded again, and shows it then.
    if (needsOwnDocument(window.location.pathname)) return;
    // Ignore a failed load: a missing toast is not worth an error.
    const show = (key: ToastKey) => void showToast(TOASTS[key], t(`notifications.${key}`)).catch(() => undefined);
    const { [queryNames.notification]: [key] = [] } = takeFromAddress(queryNames.notification);
    if (isToastKey(key)) show(key);
    return onAuthEvent((event) => {
      if (event === 'autoSignIn_failure') show('AutoLoginFailed');
    });
  }, [t]);
  return <Toasts />;
}

type ErrorBoundaryProps = { fallback: ReactNode; children: ReactNode };

/**
 * Catches and reports rendering errors, and shows an error page with a link to continue. It stays mounted when another
 * page opens in-app, so it must reset, or that page would never appear.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  private readonly reset = (): void => this.setState({ failed: false });

  override componentDidMount(): void {
    Router.events.on('routeChangeComplete', this.reset);
  }

  override componentDidCatch(error: Error): void {
    reportError(error, { during: 'rendering' });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

/**
 * Covers the screen while the app config is late. It becomes visible after 300 ms (docs/product.md#visual-design).
 * Without scripts, it explains why it stays.
 */
export function FullScreenLoader() {
  const { t } = useMessages('common');
  return (
    <div className={styles.cover} role="status">
      <span className={styles.ring} aria-hidden="true" />
      <span className="visually-hidden">{t('loading')}</span>
      <noscript>{t('form.noScript')}</noscript>
    </div>
  );
}
