import { judgeCallback, type CallbackVerdict } from '@/lib/callback/rules';
import { correctAccent, contrast } from '@/lib/config/brand-colour';
import type { AppConfig } from '@/lib/config/app-config';
import { platformOrigins, publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { appConfigOf } from '../app-config';
import { readOrigin } from '../app-config/origin';
import { isInMainDomain } from '../http/origins';

/** An accent in one theme: as configured, and as shown. Contrast after WCAG 2.2, 1.4.3. */
type AccentFacts = { theme: 'light' | 'dark'; wanted: string; shown: string; corrected: boolean; onLabel: number };

export type Explanation = {
  input: string;
  /** Whether learners may be sent there after sign-in. */
  callback: CallbackVerdict;
  /** Its origin; null when it has none (the mobile app, or no address at all). */
  origin: string | null;
  /** What its pages may do with the API, and the branding this app has under it. */
  calls: { stateChanging: boolean; readsSessions: boolean } | null;
  branding: { config: AppConfig; accents: AccentFacts[] } | null;
};

/** What this process's configuration makes of an address or origin: for the operator who asks why something fails. */
export async function explain(input: string): Promise<Explanation> {
  const origin = originOf(input);
  const appConfig = origin === null ? null : await appConfigOf(origin);
  return {
    input,
    callback: judgeCallback(input, callbackPolicyOf(publicEnv())),
    origin,
    calls:
      origin === null
        ? null
        : { stateChanging: isInMainDomain(origin), readsSessions: platformOrigins().includes(origin) },
    branding: appConfig && { config: appConfig, accents: accentsOf(appConfig) },
  };
}

function originOf(input: string): string | null {
  return URL.canParse(input) ? readOrigin(new URL(input).origin) : null;
}

function accentsOf({ colors }: AppConfig): AccentFacts[] {
  if (!colors) return [];
  return (['light', 'dark'] as const).map((theme) => {
    const wanted = colors[theme].accent;
    const { accent, onAccent, corrected } = correctAccent(wanted, theme);
    return { theme, wanted, shown: accent, corrected, onLabel: contrast(onAccent, accent) };
  });
}
