import mixpanel from 'mixpanel-browser/dist/mixpanel-core.cjs.js';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { logFailure, type AnalyticsPlugin } from './analytics';

/** How often queued events are sent, in milliseconds (docs/product.md#constants). */
const FLUSH_INTERVAL = 3_000;

/** URL properties that the library would add itself, bypassing our redaction. */
const ADDRESSES = ['$current_url', '$referrer', '$referring_domain', '$initial_referrer', '$initial_referring_domain'];

/** Starts Mixpanel's browser library. This module is lazy-loaded, because it is most of the analytics code. */
export function startMixpanel(service: NonNullable<PublicEnv['mixpanel']>, brandName: string): AnalyticsPlugin {
  const settings = {
    ...(service.apiHost === null ? {} : { api_host: service.apiHost }),
    batch_flush_interval_ms: FLUSH_INTERVAL,
    persistence: 'localStorage',
    save_referrer: false,
    track_marketing: false,
    store_google: false,
    error_reporter: logFailure,
  } as const;
  // Some of these are missing from the library's own types.
  mixpanel.init(service.token, { ...settings, property_blacklist: [...ADDRESSES] });
  const nameApp = () => mixpanel.register({ app_name: `${brandName}-v3` });
  nameApp();
  return {
    distinctId: () => String(mixpanel.get_distinct_id() ?? ''),
    identify: (distinctId) => void mixpanel.identify(distinctId),
    reset: () => {
      mixpanel.reset();
      nameApp();
    },
    withdraw: () => {
      // Missing from the library's own types. It also clears the queues.
      (mixpanel as typeof mixpanel & { stop_batch_senders: () => void }).stop_batch_senders();
      mixpanel.set_config({ disable_persistence: true });
    },
    // Equivalent to the library's own alias call, but does not identify the learner by the alias.
    alias: (alias, distinctId) => mixpanel.track('$create_alias', { alias, distinct_id: distinctId }),
    setPeople: (properties) => mixpanel.people.set(properties),
    track: (event, properties, leaving) =>
      new Promise((resolve) => {
        const options = leaving ? ({ send_immediately: true, transport: 'sendBeacon' } as const) : {};
        mixpanel.track(event, properties, options, () => resolve());
      }),
  };
}
