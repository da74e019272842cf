import { useClientValue } from '@/lib/browser/use-client-value';
import { getDestination } from '@/lib/browser/callback';
import { getLearningContext } from '@/lib/browser/learning-context';
import { useDisplayDomain } from '@/lib/browser/use-display-domain';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';

/** Shows the learner's destination. Only the browser knows it, so the page itself stays cacheable. */
export function LearningContext() {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const brandName = useAppConfig()?.brandName ?? env.brandName;
  return useContextWords() ?? t('context.account', { brand: brandName });
}

/** The destination in addition to another lead: renders nothing if there is no specific destination. */
export function LearningContextLine({ className }: { className: string | undefined }) {
  const words = useContextWords();
  return words === null ? null : <p className={className}>{words}</p>;
}

function useContextWords(): string | null {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const brandName = useAppConfig()?.brandName ?? env.brandName;
  const destination = useClientValue(() => getDestination(env), null);
  // The dashboard is the default destination, so it is not mentioned.
  const isDefault = destination === null || destination === getCallbackPolicy(env).dashboardUrl;
  const context = isDefault ? null : getLearningContext(destination);
  const domain = useDisplayDomain(context?.domain ?? null);
  if (context === null) return null;
  const place = context.domain === null ? brandName : domain;
  if (place === null) return null;
  const { course } = context;
  return course === null ? t('context.continueTo', { place }) : t('context.continueToCourse', { place, course });
}
