import { useTranslation } from 'next-i18next/pages';

export function SignInScreen() {
  const { t } = useTranslation('sign-in');
  return <h1>{t('heading')}</h1>;
}
