import { ThemeProvider, useTheme } from 'next-themes';
import { useEffect, useRef } from 'react';
import { takeFromAddress } from '@/lib/browser/callback';
import { queryNames } from '@/lib/shared/paths';
import { THEME_STORAGE_KEY, type Theme } from '@/lib/shared/theme-init-script';

/** `picked` is absent if the system or another tab changed the theme. */
export type ThemeChange = { picked?: Theme };

type Props = {
  change: ThemeChange;
  /** Called when another tab changes the choice. */
  onTheme: (theme: Theme) => void;
};

/** Stores and applies the choice, and follows the system and other tabs. */
export default function ThemeKeeper(props: Props) {
  return (
    <ThemeProvider
      attribute="data-theme"
      storageKey={THEME_STORAGE_KEY}
      enableColorScheme={false}
      // The script in _document sets the theme before the first paint, so this script must not run.
      scriptProps={{ type: 'application/json' }}
    >
      <Choice {...props} />
    </ThemeProvider>
  );
}

function Choice({ change, onTheme }: Props) {
  const { theme, setTheme } = useTheme();
  const before = useRef(theme);
  useEffect(() => {
    if (!change.picked) return;
    // Otherwise the URL's theme would override the choice at every reload.
    takeFromAddress(queryNames.theme);
    setTheme(change.picked);
  }, [change, setTheme]);
  useEffect(() => {
    if (before.current === theme) return;
    before.current = theme;
    onTheme(theme as Theme);
  }, [theme, onTheme]);
  return null;
}
