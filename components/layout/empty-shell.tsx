import { useMessages } from '@/lib/browser/use-messages';
import { AppShell } from './app-shell';

/** The layout without content, for the platform and for pre-caching (docs/product.md#screens). */
export function EmptyShell() {
  const { t } = useMessages('dashboard');
  return <AppShell heading={t('shell.heading')} />;
}
