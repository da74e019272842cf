export type Properties = Record<string, unknown>;

/** What an analytics service must be able to do. Each call may throw or never end: its caller sees to that. */
export type AnalyticsPlugin = {
  /** By whom the service takes what is recorded to be done. */
  distinctId: () => string;
  identify: (distinctId: string) => void;
  /** Forgets whom it knew. */
  reset: () => void;
  /** Keeps nothing in this browser from here on, and takes away what it kept. */
  withdraw: () => void;
  alias: (alias: string, distinctId: string) => void;
  setPeople: (properties: Properties) => void;
  /**
   * Records an event. @param leaving the page is about to be left: it goes out at once
   * @returns when the event is on its way or safely kept
   */
  track: (event: string, properties: Properties, leaving: boolean) => Promise<void>;
};
