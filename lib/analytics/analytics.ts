import { promiseTimeout } from '@/lib/promise-timeout';
import { redact } from '@/lib/redaction';
import { newAliases, rememberAlias } from './aliases';
import { logFailure } from './log-failure';
import type { AnalyticsPlugin, Properties } from './plugin';

/** Times in milliseconds (specification, sections 4 and 9). */
const LONGEST_TRACK = 5_000;
const LONGEST_WAIT_FOR_PLUGIN = 10_000;
const IDENTIFY_AGAIN_AFTER = [100, 1_000];

/** Names that are sent as they are: whom it is about is the point of analytics. */
const SENT_AS_IS = new Set(['email', 'distinct_id', 'name', 'user_id', 'session_id']);

type Identity = { email: string; uid: string; extraAliases?: readonly string[] };

/**
 * The analytics calls of the specification (section 7), about the learner identified last; nothing is recorded of
 * anybody else. None of them ever rejects: failures are logged and swallowed.
 */
export class Analytics {
  private email: string | null = null;

  /**
   * @param plugin the service, as soon as it has loaded; waited for at most 10 s
   * @param mayRecord asked before each call whether this learner may be recorded: consent can be taken back
   */
  constructor(
    private readonly plugin: Promise<AnalyticsPlugin>,
    private readonly mayRecord: (email: string) => boolean,
  ) {
    // A failure is told where the service is used.
    plugin.catch(() => undefined);
  }

  /** Records an event. @param options `leaving`: the page is about to be left. @returns within 5 s of the service being there */
  track(event: string, properties: Properties = {}, { leaving = false } = {}): Promise<void> {
    return this.attempt((plugin) =>
      promiseTimeout(plugin.track(event, redact(properties, SENT_AS_IS), leaving), LONGEST_TRACK),
    );
  }

  /** Records a page view. @param view its payload for the learner's e-mail address */
  page(view: (email: string) => Properties & { event: string }): Promise<void> {
    if (this.email === null) return Promise.resolve();
    const properties = view(this.email);
    return this.track(properties.event, properties);
  }

  peopleSet(properties: Properties): Promise<void> {
    return this.attempt((plugin) => plugin.setPeople(redact(properties, SENT_AS_IS)));
  }

  /** Makes an alias of the learner unless this device has made it before. */
  alias(alias: string): Promise<void> {
    return this.attempt((plugin, email) => makeAliases(plugin, email, [alias]));
  }

  /** From here on everything is done by this learner; tried again after 100 ms and after 1 s. */
  identify({ email, uid, extraAliases = [] }: Identity): Promise<void> {
    this.email = email;
    return this.attempt(async (plugin) => {
      await repeated(() => identifyBy(plugin, email), IDENTIFY_AGAIN_AFTER);
      makeAliases(plugin, email, [uid, ...extraAliases]);
    });
  }

  /** From here on nobody is known; nothing is recorded until somebody is identified. */
  forget(): void {
    this.email = null;
  }

  /** The browser is being cleared: nothing is kept in it any more. */
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
  const known = plugin.distinctId();
  // Someone else was known here: what they did is not this learner's.
  if (known.includes('@') && known !== email) plugin.reset();
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
