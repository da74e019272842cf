import { useMessages } from '@/lib/browser/use-messages';
import { Notice } from './notice';

/** In place of a part of the page that could not be loaded. */
export function NotLoaded() {
  const { t } = useMessages('common');
  return <Notice tone="error">{t('form.broken')}</Notice>;
}
