import { Icon } from '@/components/ui/icons';
import { useMessages } from '@/lib/browser/use-messages';
import { THEMES, useTheme, type Theme } from '@/lib/browser/use-theme';
import styles from './theme-switch.module.css';

/** The system's theme, light or dark. CSS selects the icon of the present one, so it is also correct before hydration. */
export function ThemeSwitch() {
  const { t } = useMessages('common');
  const [theme, setTheme] = useTheme();
  return (
    <span className={styles.switch}>
      <span className={styles.light}>
        <Icon glyph="sun" />
      </span>
      <span className={styles.dark}>
        <Icon glyph="moon" />
      </span>
      <select aria-label={t('theme.label')} value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t(`theme.${name}`)}
          </option>
        ))}
      </select>
    </span>
  );
}
