import { useTranslation } from 'next-i18next/pages';
import { useBrowserFact } from '@/lib/browser-fact';
import { currentDestination } from '@/lib/callback/browser';
import { usePublicEnv } from '@/lib/config/public-env-context';

/** Says where the learner goes on to. The place is known to the browser alone, so the page itself stays cacheable. */
export function LearningContext() {
  const { t } = useTranslation('common');
  const env = usePublicEnv();
  const host = useBrowserFact(() => hostOf(currentDestination(env)), null);
  return host === null ? t('context.learning') : t('context.continueTo', { host });
}

/** Hosts of the platform are worth a word; own pages and the mobile app are not addresses to a learner. */
function hostOf(destination: string): string | null {
  if (!/^https?:/.test(destination)) return null;
  const { hostname } = new URL(destination);
  return hostname === 'localhost' ? null : hostname;
}
