import { createContext, useContext } from 'react';
import type { PageConfig } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';

const AppConfigContext = createContext<PageConfig | null>(null);

export const AppConfigProvider = AppConfigContext.Provider;

/** Returns the app config of this origin. If it is null, the page uses its defaults. */
export function useAppConfig(): PageConfig | null {
  return useContext(AppConfigContext);
}

/** Returns the sign-in methods of this origin, by default only the password (docs/product.md#app-config). */
export function useEnabledIdentities(): readonly string[] {
  return useAppConfig()?.enabledIdentities ?? ['password'];
}

/** Returns the name and logo of this origin, or else the deployment's name. Without any configuration, the name is empty. */
export function useBrand(): { name: string; logo: string | undefined } {
  const config = useAppConfig();
  const env = useContext(PublicEnvContext);
  return { name: config?.brandName ?? env?.brandName ?? '', logo: config?.logo };
}

const PublicEnvContext = createContext<PublicEnv | null>(null);

export const PublicEnvProvider = PublicEnvContext.Provider;

/** Returns the public configuration that was sent with the page. @throws Error outside of a page */
export function usePublicEnv(): PublicEnv {
  const value = useContext(PublicEnvContext);
  if (!value) throw new Error('No page');
  return value;
}
