import { startTransition } from 'react';
import type * as Client from 'react-dom/client';

/**
 * Stands in for react-dom/client in browsers (next.config.js). The framework evaluates React together with all else and
 * hydrates a page in one piece, in which a slow phone answers nobody for a third of a second. Here React begins in a task of
 * its own, and hydrates as a transition: in pieces of a few milliseconds, and at once what somebody presses.
 */
export function hydrateRoot(...given: Parameters<typeof Client.hydrateRoot>): Pick<Client.Root, 'render'> {
  const root = new Promise<Client.Root>((resolve) =>
    setTimeout(() => {
      // By its path: its name stands for this file in browsers. Required here, for it to be evaluated now and not before.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const client = require('../../node_modules/react-dom/client') as typeof Client;
      startTransition(() => resolve(client.hydrateRoot(...given)));
      document.documentElement.setAttribute('data-listening', '');
    }),
  );
  return { render: (children) => void root.then((begun) => begun.render(children)) };
}

const asTheFrameworkAsks = { hydrateRoot };
export default asTheFrameworkAsks;
