import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useClientValue } from '@/lib/browser/use-client-value';

/** Whether a passkey can sign in here, by the same rules as on /sign-in. */
export function usePasskeysOffered(): boolean {
  const env = usePublicEnv();
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  return env.passkeys && hasMeans && enabled.includes('password');
}
