import { Suspense, useEffect, useRef, useState } from 'react';
import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { Icon, ThemeIcon } from '@/components/ui/icons';
import { lazyWithFallback, useClientValue } from '@/lib/browser/hooks';
import { storage } from '@/lib/browser/storage';
import { THEME_STORAGE_KEY, THEMES, type Theme } from '@/lib/shared/theme-init-script';
import { Notice } from '@/components/ui/notice';
import type { ThemeChange } from './theme-keeper';
import styles from './shell-parts.module.css';

/** The brand's legal documents if the origin has them, and help. */
export function FooterLinks() {
  const { t } = useMessages('common');
  const { supportMailbox } = usePublicEnv();
  const config = useAppConfig();
  return (
    <footer className={styles.footer}>
      {config?.termsUrl !== undefined && <a href={config.termsUrl}>{t('footer.terms')}</a>}
      {config?.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('footer.privacy')}</a>}
      <a href={config?.supportUrl ?? `mailto:${supportMailbox}`}>{t('footer.support')}</a>
      <PageLink href={paths.selfCheck} onClick={carryTypedEmail}>
        {t('footer.selfCheck')}
      </PageLink>
    </footer>
  );
}

/** The language, if there are several, and the theme: in the header, for people who can't read the page. */
export function Preferences() {
  return (
    <>
      <LanguageSwitch />
      <ThemeSwitch />
    </>
  );
}

function LanguageSwitch() {
  const { t } = useMessages('common');
  const { locales } = usePublicEnv();
  const language = useLanguage();
  const languages = useRef<HTMLSelectElement>(null);
  const change = (field: HTMLSelectElement) =>
    void import('./switch-language').then((loaded) => loaded.switchLanguage(field));
  useEffect(() => {
    // The user chose before the page could react.
    const field = languages.current;
    if (field && field.value !== language) change(field);
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  if (!locales) return null;
  return (
    <span className={styles.switch}>
      <Icon glyph="globe" />
      <select
        ref={languages}
        aria-label={t('language')}
        defaultValue={language}
        onChange={({ target }) => change(target)}
      >
        {locales.map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The script in the head has set the theme. The code that changes it is loaded on the first change. */
const ThemeKeeper = lazyWithFallback(() => import('./theme-keeper'));

/**
 * Switches between the system's theme, light and dark. CSS selects the icon, so it is correct even before hydration.
 */
function ThemeSwitch() {
  const { t } = useMessages('common');
  const stored = useClientValue(readTheme, 'system');
  const [shown, setShown] = useState<Theme | null>(null);
  const [change, setChange] = useState<ThemeChange | null>(null);
  useEffect(() => {
    const elsewhere = () => setChange((before) => before ?? {});
    const listeners = new AbortController();
    window.addEventListener('storage', elsewhere, listeners);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', elsewhere, listeners);
    return () => listeners.abort();
  }, []);
  return (
    <span className={styles.switch}>
      <ThemeIcon sun={styles.light} moon={styles.dark} />
      <select
        aria-label={t('theme.label')}
        value={shown ?? stored}
        onChange={(event) => {
          const picked = event.target.value as Theme;
          setShown(picked);
          setChange({ picked });
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t(`theme.${name}`)}
          </option>
        ))}
      </select>
      <Suspense>{change && <ThemeKeeper change={change} onTheme={setShown} />}</Suspense>
    </span>
  );
}

function readTheme(): Theme {
  const stored = storage('localStorage').getItem(THEME_STORAGE_KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/**
 * For browsers without scripts, and for a page whose scripts had not arrived when a form was submitted
 * (lib/server/http/document/content-security-policy.ts).
 */
export function ScriptNotice() {
  const { t } = useMessages('common');
  return (
    <>
      <noscript>
        <Notice tone="error">{t('form.noScript')}</Notice>
      </noscript>
      <div className={styles.late}>
        <Notice tone="error">{t('form.notReady')}</Notice>
      </div>
    </>
  );
}
