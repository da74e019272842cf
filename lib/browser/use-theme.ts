import { useSyncExternalStore } from 'react';
import { storage } from '@/lib/browser/storage';
import { THEME_STORAGE_KEY } from '@/lib/shared/theme-init-script';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The choice on this page, where the browser blocks storage. */
let chosen: Theme = 'system';
const listeners = new Set<() => void>();

/** The choice and its setter. The script in the head has applied it; here it follows the system, other tabs and the learner. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, getTheme, () => 'system'), setTheme];
}

function getTheme(): Theme {
  const kept = storage('localStorage').getItem(THEME_STORAGE_KEY);
  return THEMES.find((theme) => theme === kept) ?? chosen;
}

function setTheme(theme: Theme): void {
  chosen = theme;
  storage('localStorage').setItem(THEME_STORAGE_KEY, theme);
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const theme = getTheme();
    const isDark = theme === 'system' ? system.matches : theme === 'dark';
    document.documentElement.setAttribute('data-theme', isDark ? 'dark' : 'light');
    listener();
  };
  listeners.add(apply);
  window.addEventListener('storage', apply);
  system.addEventListener('change', apply);
  return () => {
    listeners.delete(apply);
    window.removeEventListener('storage', apply);
    system.removeEventListener('change', apply);
  };
}
