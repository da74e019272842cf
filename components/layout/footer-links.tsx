import { Suspense, useState } from 'react';
import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './footer-links.module.css';

const LanguageSwitch = lazyWithFallback(async () => ({ default: (await import('./preferences')).LanguageSwitch }));

/** The brand's legal documents, where the origin has them, and help. */
export function FooterLinks() {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const config = useAppConfig();
  const [isOpen, setOpen] = useState(false);
  return (
    <footer className={styles.footer}>
      {config?.termsUrl !== undefined && <a href={config.termsUrl}>{t('footer.terms')}</a>}
      {config?.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('footer.privacy')}</a>}
      <a href={config?.supportUrl ?? `mailto:${env.supportMailbox}`}>{t('footer.support')}</a>
      <PageLink href={paths.selfCheck}>{t('footer.selfCheck')}</PageLink>
      {env.locales && (
        <Suspense>
          {isOpen ? (
            <LanguageSwitch locales={env.locales} />
          ) : (
            <button type="button" onClick={() => setOpen(true)}>
              {t('footer.language')}
            </button>
          )}
        </Suspense>
      )}
    </footer>
  );
}
