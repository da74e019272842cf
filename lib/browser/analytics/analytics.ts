import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { MAX_TEXT_LENGTH, redact, type RedactionOptions } from '@/lib/shared/redaction/redact';
import { storage } from '@/lib/browser/storage';

/** Times in milliseconds (docs/product.md#analytics-and-error-reporting, #constants). */
const LONGEST_TRACK = 5_000;
const LONGEST_WAIT_FOR_PLUGIN = 10_000;
const IDENTIFY_AGAIN_AFTER = [100, 1_000];

/** Properties sent unredacted, because analytics needs the learner's identity. */
const SENT_AS_IS: RedactionOptions = {
  kept: new Set(['email', 'distinct_id', 'name', 'user_id', 'session_id']),
  maxLength: MAX_TEXT_LENGTH.analytics,
};

type Identity = { email: string; uid: string; extraAliases?: readonly string[] };

/**
 * The analytics calls (docs/product.md#analytics-and-error-reporting), for the most recently identified learner.
 * Without an identified learner, nothing is recorded. The calls never reject, and failures are logged and ignored.
 */
export class Analytics {
  private email: string | null = null;

  /**
   * @param plugin the service, once it has loaded; waited for at most 10 s
   * @param mayRecord called before each request to check whether this learner may be recorded, because consent can be
   *   withdrawn
   */
  constructor(
    private readonly plugin: Promise<AnalyticsPlugin>,
    private readonly mayRecord: (email: string) => boolean,
  ) {
    // A load failure is logged by the calls that use the service.
    plugin.catch(() => undefined);
  }

  /**
   * Records an event.
   * @param options `leaving`: whether the page is about to unload
   * @returns within 5 s after the service was loaded
   */
  track(event: string, properties: Properties = {}, { leaving = false } = {}): Promise<void> {
    return this.attempt((plugin) =>
      promiseTimeout(plugin.track(event, redact(properties, SENT_AS_IS), leaving), LONGEST_TRACK),
    );
  }

  /** Records a page view. @param view builds its payload from the learner's email address */
  page(view: (email: string) => Properties & { event: string }): Promise<void> {
    if (this.email === null) return Promise.resolve();
    const properties = view(this.email);
    return this.track(properties.event, properties);
  }

  peopleSet(properties: Properties): Promise<void> {
    return this.attempt((plugin) => plugin.setPeople(redact(properties, SENT_AS_IS)));
  }

  /** Creates an alias of the learner, unless this device has already created it. */
  alias(alias: string): Promise<void> {
    return this.attempt((plugin, email) => makeAliases(plugin, email, [alias]));
  }

  /** Attributes all following events to this learner. Retries after 100 ms and after 1 s. */
  identify({ email, uid, extraAliases = [] }: Identity): Promise<void> {
    this.email = email;
    return this.attempt(async (plugin) => {
      await repeated(() => identifyBy(plugin, email), IDENTIFY_AGAIN_AFTER);
      makeAliases(plugin, email, [uid, ...extraAliases]);
    });
  }

  /** Clears the identity. Nothing is recorded until a learner is identified. */
  forget(): void {
    this.email = null;
  }

  /** Stops storing data in the browser, because its data is being cleared. */
  async withdraw(): Promise<void> {
    this.forget();
    try {
      (await this.plugin).withdraw();
    } catch (error) {
      logFailure(error);
    }
  }

  private async attempt(work: (plugin: AnalyticsPlugin, email: string) => Promise<void> | void): Promise<void> {
    const { email } = this;
    if (typeof window === 'undefined' || email === null || !this.mayRecord(email)) return;
    try {
      await work(await promiseTimeout(this.plugin, LONGEST_WAIT_FOR_PLUGIN), email);
    } catch (error) {
      logFailure(error);
    }
  }
}

function identifyBy(plugin: AnalyticsPlugin, email: string): void {
  const distinctId = plugin.distinctId();
  // Another learner was identified here, and their events must not be attributed to this learner.
  if (distinctId.includes('@') && distinctId !== email) plugin.reset();
  plugin.identify(email);
  if (plugin.distinctId() !== email) throw new Error('the learner could not be identified');
}

function makeAliases(plugin: AnalyticsPlugin, email: string, aliases: readonly string[]): void {
  for (const alias of newAliases(email, aliases)) {
    plugin.alias(alias, email);
    rememberAlias(email, alias);
  }
}

async function repeated(work: () => void, [wait, ...later]: readonly number[]): Promise<void> {
  try {
    work();
  } catch (error) {
    if (wait === undefined) throw error;
    await new Promise((resolve) => setTimeout(resolve, wait));
    await repeated(work, later);
  }
}

type Properties = Record<string, unknown>;

/** Interface of an analytics service. Each call may throw or never settle, and the caller handles that. */
export type AnalyticsPlugin = {
  /** The id to which the service attributes events. */
  distinctId: () => string;
  identify: (distinctId: string) => void;
  /** Clears the identity. */
  reset: () => void;
  /** Stops storing data in this browser, and deletes the stored data. */
  withdraw: () => void;
  alias: (alias: string, distinctId: string) => void;
  setPeople: (properties: Properties) => void;
  /**
   * Records an event.
   * @param leaving whether the page is about to unload, so that the event must be sent at once
   * @returns when the event is sent or safely queued
   */
  track: (event: string, properties: Properties, leaving: boolean) => Promise<void>;
};

/** Storage key of the aliases created for an email address (docs/product.md#data). */
function aliasesKey(email: string): string {
  return `mp_aliases_${email.replace(/[@.]/g, '_')}`;
}

/** Returns the aliases not yet created for this email address on this device. */
function newAliases(email: string, aliases: readonly string[]): string[] {
  const existing = remembered(email);
  return [...new Set(aliases)].filter((alias) => alias !== '' && alias !== email && !existing.includes(alias));
}

function rememberAlias(email: string, alias: string): void {
  storage('localStorage').setItem(aliasesKey(email), JSON.stringify([...remembered(email), alias]));
}

function remembered(email: string): string[] {
  const stored = storage('localStorage').getJson(aliasesKey(email));
  return Array.isArray(stored) ? stored.filter((alias) => typeof alias === 'string') : [];
}

/** Logs an analytics error to the console. Such errors are otherwise ignored (docs/product.md#error-codes). */
export function logFailure(...args: unknown[]): void {
  console.warn(
    'analytics:',
    ...args.map((part) =>
      redact(part instanceof Error ? part.message : part, { maxLength: MAX_TEXT_LENGTH.analytics }),
    ),
  );
}
