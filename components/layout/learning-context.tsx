import { useTranslation } from 'next-i18next/pages';
import { useBrowserFact } from '@/lib/browser-fact';
import { currentDestination } from '@/lib/callback/browser';
import { learningContextOf } from '@/lib/callback/learning-context';
import { useAppConfig } from '@/lib/config/app-config-context';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';

/** Says where the learner goes on to. The place is known to the browser alone, so the page itself stays cacheable. */
export function LearningContext() {
  const { t } = useTranslation('common');
  return useContextWords() ?? t('context.learning');
}

/** The same beside other words: nothing where there is nothing to say. */
export function LearningContextLine({ className }: { className: string | undefined }) {
  const words = useContextWords();
  return words === null ? null : <p className={className}>{words}</p>;
}

function useContextWords(): string | null {
  const { t } = useTranslation('common');
  const env = usePublicEnv();
  const brandName = useAppConfig()?.brandName ?? env.brandName;
  const destination = useBrowserFact(() => currentDestination(env), null);
  // The dashboard is where everybody goes who wanted nothing else.
  const isDefault = destination === null || destination === callbackPolicyOf(env).dashboardUrl;
  const context = isDefault ? null : learningContextOf(destination, brandName);
  if (context === null) return null;
  const { place, course } = context;
  return course === null ? t('context.continueTo', { place }) : t('context.continueToCourse', { place, course });
}
