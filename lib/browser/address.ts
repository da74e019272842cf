/**
 * Removes query parameters from the URL and the current history entry, without a navigation.
 * @param names parameters to remove
 * @returns their values, by name
 */
export function takeFromAddress(...names: readonly string[]): Record<string, string[]> {
  const url = new URL(window.location.href);
  const taken = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  if (!names.some((name) => url.searchParams.has(name))) return taken;
  names.forEach((name) => url.searchParams.delete(name));
  const address = url.pathname + url.search + url.hash;
  // The router keeps its own copy of the URL in the history state and restores it on back.
  const state: unknown = window.history.state;
  const kept = typeof state === 'object' && state !== null ? state : {};
  window.history.replaceState({ ...kept, as: address, url: address }, '', address);
  return taken;
}
