import { useTheme } from 'next-themes';
import { Icon } from '@/components/ui/icons';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './theme-switch.module.css';

const THEMES = ['system', 'light', 'dark'] as const;

/** The system's theme, light or dark. CSS selects the icon of the present one, so it is also correct before hydration. */
export function ThemeSwitch() {
  const { t } = useMessages('common');
  const { theme = 'system', setTheme } = useTheme();
  // The server does not know the stored choice.
  const isClient = useClientValue(() => true, false);
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
        value={isClient ? theme : 'system'}
        onChange={(event) => setTheme(event.target.value)}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t(`theme.${name}`)}
          </option>
        ))}
      </select>
    </span>
  );
}
