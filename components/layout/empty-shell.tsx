import { useTranslation } from 'next-i18next/pages';
import { AppShell } from './app-shell';

/** The frame without content, for the platform and for pre-caching (product decisions, 6). */
export function EmptyShell() {
  const { t } = useTranslation('dashboard');
  return <AppShell heading={t('shell.heading')} />;
}
