import type { IncomingMessage } from 'node:http';

/** A client sends its bodies at once: only slow ones add up, and a school behind one address has far fewer at a time. */
export const MAX_OPEN_BODIES = 32;

/**
 * Bounds the request bodies that are still arriving, by client: beyond the maximum the oldest is given up, so slow
 * bodies of one client cannot keep another one behind the same address from sending.
 */
export class OpenBodies {
  private readonly byClient = new Map<string, Set<IncomingMessage>>();

  /** @param giveUp closes a request's connection */
  constructor(private readonly giveUp: (req: IncomingMessage) => void) {}

  /** Counts a request with a body until the body has arrived, or its connection has closed. */
  add(client: string, req: IncomingMessage): void {
    const open = this.byClient.get(client) ?? new Set();
    this.byClient.set(client, open.add(req));
    req.once('close', () => {
      open.delete(req);
      if (open.size === 0) this.byClient.delete(client);
    });
    if (open.size <= MAX_OPEN_BODIES) return;
    // Complete ones are held by their handlers, which may wait for another service.
    const arriving = [...open].filter(({ complete }) => !complete);
    const [oldest] = arriving;
    if (!oldest || arriving.length <= MAX_OPEN_BODIES) return;
    open.delete(oldest);
    this.giveUp(oldest);
  }
}
