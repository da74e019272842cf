import { Suspense, useEffect, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { storage } from '@/lib/browser/storage';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useMessages } from '@/lib/browser/use-messages';
import { THEME_STORAGE_KEY, THEMES, type Theme } from '@/lib/shared/theme-init-script';
import type { ThemeChange } from './theme-keeper';
import styles from './theme-switch.module.css';

/** The script in the head has set the theme: what keeps it is loaded when something changes. */
const ThemeKeeper = lazyWithFallback(() => import('./theme-keeper'));

/** The system's theme, light or dark. CSS selects the icon of the present one, so it is also correct before hydration. */
export function ThemeSwitch() {
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
      <span className={styles.light}>
        <Icon glyph="sun" />
      </span>
      <span className={styles.dark}>
        <Icon glyph="moon" />
      </span>
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
