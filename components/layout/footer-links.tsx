import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './footer-links.module.css';

/** The brand's legal documents, where the origin has them, help, and the languages where there are several. */
export function FooterLinks() {
  const { t } = useMessages('common');
  const { locales, supportMailbox } = usePublicEnv();
  const config = useAppConfig();
  const language = useLanguage();
  return (
    <footer className={styles.footer}>
      {config?.termsUrl !== undefined && <a href={config.termsUrl}>{t('footer.terms')}</a>}
      {config?.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('footer.privacy')}</a>}
      <a href={config?.supportUrl ?? `mailto:${supportMailbox}`}>{t('footer.support')}</a>
      <PageLink href={paths.selfCheck}>{t('footer.selfCheck')}</PageLink>
      {locales && (
        <select
          aria-label={t('footer.language')}
          defaultValue={language}
          onChange={({ target }) => void import('./switch-language').then((loaded) => loaded.switchLanguage(target))}
        >
          {locales.map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </footer>
  );
}
