import { useTranslation } from 'next-i18next/pages';
import { useTheme } from 'next-themes';
import { Icon } from '@/components/ui/icons';
import styles from './theme-switch.module.css';

/** Changes between light and dark. Which sign is shown is decided in CSS, so it is right before hydration too. */
export function ThemeSwitch() {
  const { t } = useTranslation('common');
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
