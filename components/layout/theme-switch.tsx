import { useTheme } from 'next-themes';
import { Icon } from '@/components/ui/icons';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './theme-switch.module.css';

/** Toggles between light and dark. CSS selects the icon, so it is also correct before hydration. */
export function ThemeSwitch() {
  const { t } = useMessages('common');
  const { setTheme } = useTheme();
  const toggle = () => {
    const isDark = document.documentElement.dataset.theme === 'dark';
    setTheme(isDark ? 'light' : 'dark');
  };
  return (
    <button type="button" className={styles.switch} onClick={toggle} aria-label={t('theme.switch')}>
      <span className={styles.light}>
        <Icon glyph="moon" />
      </span>
      <span className={styles.dark}>
        <Icon glyph="sun" />
      </span>
    </button>
  );
}
