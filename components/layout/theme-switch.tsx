import { Suspense, useEffect, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { storage } from '@/lib/browser/storage';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useMessages } from '@/lib/browser/use-messages';
import { THEME_STORAGE_KEY, THEMES, type Theme } from '@/lib/shared/theme-init-script';
import styles from './theme-switch.module.css';

/** The script in the head has set the theme: what keeps it is loaded when something changes. */
const ThemeKeeper = lazyWithFallback(() => import('./theme-keeper'));

/** The choice on an earlier page of this document, where the browser blocks storage. */
let last: Theme | null = null;

/** The system's theme, light or dark. CSS selects the icon of the present one, so it is also correct before hydration. */
export function ThemeSwitch() {
  const { t } = useMessages('common');
  const stored = useClientValue(readTheme, 'system');
  const [shown, setShown] = useState<Theme | null>(null);
  const [picked, setPicked] = useState<{ theme: Theme } | null>(null);
  const hasChanged = useHasChanged();
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
          last = event.target.value as Theme;
          setShown(last);
          setPicked({ theme: last });
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t(`theme.${name}`)}
          </option>
        ))}
      </select>
      <Suspense>{(picked !== null || hasChanged) && <ThemeKeeper picked={picked} onTheme={setShown} />}</Suspense>
    </span>
  );
}

function readTheme(): Theme {
  const stored = storage('localStorage').getItem(THEME_STORAGE_KEY) ?? last;
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Whether the system or another tab has changed the theme since this page was opened. */
function useHasChanged(): boolean {
  const [hasChanged, setHasChanged] = useState(false);
  useEffect(() => {
    if (hasChanged) return undefined;
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    const change = () => setHasChanged(true);
    window.addEventListener('storage', change);
    system.addEventListener('change', change);
    return () => {
      window.removeEventListener('storage', change);
      system.removeEventListener('change', change);
    };
  }, [hasChanged]);
  return hasChanged;
}
