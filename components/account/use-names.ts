import { useMessages } from '@/lib/browser/use-messages';
import { EMAIL_METHOD } from '@/lib/shared/account/activity';
import { getMethodName, isOrganization } from '@/lib/shared/providers/method-name';

/** Sign-in methods and browsers in words. */
export function useNames() {
  const { t } = useMessages('security');
  return {
    /** @param method the identity provider's id */
    nameMethod: (method: string): string => {
      if (method === 'password' || method === EMAIL_METHOD) return t(`activity.methods.${method}`);
      return isOrganization(method) ? t('sso') : getMethodName(method);
    },
    /** @returns such as `Chrome on Android`; null when unknown */
    nameClient: ({ browser, system }: { browser: string | null; system: string | null }): string | null =>
      browser && system ? t('activity.client', { browser, system }) : (browser ?? system),
  };
}
