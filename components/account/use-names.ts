import { useMessages } from '@/lib/browser/use-messages';
import { OWN_METHODS } from '@/lib/shared/account/own-methods';
import { getMethodName, isOrganization } from '@/lib/shared/providers/method-name';

const METHODS_WITH_TEXT = ['password', ...OWN_METHODS] as const;

/** Sign-in methods and browsers in words. */
export function useNames() {
  const { t } = useMessages('security');
  return {
    /** @param method the identity provider's id */
    nameMethod: (method: string): string => {
      const own = METHODS_WITH_TEXT.find((id) => id === method);
      if (own !== undefined) return t(`activity.methods.${own}`);
      return isOrganization(method) ? t('sso') : getMethodName(method);
    },
    /** @returns such as `Chrome on Android`; null when unknown */
    nameClient: ({ browser, system }: { browser: string | null; system: string | null }): string | null =>
      browser && system ? t('activity.client', { browser, system }) : (browser ?? system),
  };
}
