import { startTransition } from 'react';
import type * as Client from 'react-dom/client';
// @ts-expect-error -- by its path, which has no types: its name stands for this file in browsers
import * as itself from '../../node_modules/react-dom/client';

const client = itself as typeof Client;

/**
 * Stands in for react-dom/client in browsers (next.config.js). The framework hydrates a page in one piece, in which a slow
 * phone answers nobody for a quarter of a second; as a transition React does it in pieces of a few milliseconds, and at
 * once when somebody presses something.
 */
export function hydrateRoot(...given: Parameters<typeof Client.hydrateRoot>): Client.Root {
  let root: Client.Root | undefined;
  startTransition(() => {
    root = client.hydrateRoot(...given);
  });
  document.documentElement.setAttribute('data-listening', '');
  if (!root) throw new Error('React did not begin to hydrate the page');
  return root;
}

const asTheFrameworkAsks = { hydrateRoot };
export default asTheFrameworkAsks;
