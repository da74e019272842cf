export type Properties = Record<string, unknown>;

/** Interface of an analytics service. Each call may throw or never settle: the caller handles that. */
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
   * Records an event. @param leaving the page is about to unload: send immediately
   * @returns when the event is sent or safely queued
   */
  track: (event: string, properties: Properties, leaving: boolean) => Promise<void>;
};
