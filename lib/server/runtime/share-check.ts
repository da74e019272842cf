import { processWide } from './process-wide';

/** For how long a success holds, in milliseconds. */
const HOLDS_MS = 5_000;

/** Runs a check, once for all requests that wait for it and, when it succeeds, for those of the next seconds. */
export async function shareCheck(name: string, check: () => Promise<unknown>): Promise<void> {
  const state = processWide(`check:${name}`, (): { running: Promise<unknown> | null } => ({ running: null }));
  state.running ??= check().then(
    () => void setTimeout(() => (state.running = null), HOLDS_MS).unref(),
    (error: unknown) => {
      state.running = null;
      throw error;
    },
  );
  await state.running;
}
