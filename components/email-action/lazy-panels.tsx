import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { Unreachable } from './unusable-link';

const resetPanel = () => import('./reset-panel');

export const ResetPanel = lazyWithFallback(resetPanel, NotLoaded);
export const PasswordVerifyPanel = lazyWithFallback(() => import('./password-verify-panel'), NotLoaded);
export const AccountMismatch = lazyWithFallback(() => import('./account-mismatch'), NotLoaded);

/** Loads the panel while the link is checked. Errors are ignored: the component that needs it loads it again. */
export function preloadResetPanel(): void {
  resetPanel().catch(() => undefined);
}

function NotLoaded() {
  return <Unreachable code="auth/network-request-failed" onRetry={() => window.location.reload()} />;
}
