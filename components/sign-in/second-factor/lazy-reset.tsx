import { AuthLayout } from '@/components/layout/auth-layout';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { useMessages } from '@/lib/browser/use-messages';
import type { ResetStageProps } from './reset-stage';

const loadReset = () => import('./reset-stage');

export const LazyReset = lazyWithFallback<ResetStageProps>(loadReset, NotLoaded);

/** Loads the stage as the pointer or the focus reaches its button. Errors are ignored: showing it loads it again. */
export function preloadReset(): void {
  loadReset().catch(() => undefined);
}

function NotLoaded() {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('reset.heading')}>
      <Notice tone="error">{t('common:errors.auth/network-request-failed')}</Notice>
      <Button onClick={() => window.location.reload()}>{t('reset.reload')}</Button>
    </AuthLayout>
  );
}
