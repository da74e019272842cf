import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies wait for a response before they send the next request on a connection. */
export const MAX_WAITING_REQUESTS = 16;

/**
 * Answers the requests of one connection one at a time, as HTTP/1.1 returns the responses in order anyway (RFC 9112,
 * section 9.3.2). Node.js begins all that it has read, so one write could hold hundreds of pages in progress.
 */
export class Pipelines {
  private readonly waiting = new WeakMap<Socket, number>();

  /**
   * Calls `answer` once the requests before it are answered, and never if the client is gone by then. Beyond the maximum
   * the connection is closed.
   */
  answerInTurn({ socket }: IncomingMessage, res: ServerResponse, answer: () => void): void {
    // Node.js assigns the connection to the response whose turn it is.
    if (res.socket) answer();
    // The rest of what was read before the connection was closed.
    else if (socket.destroyed) return;
    else if (this.count(socket, 1) > MAX_WAITING_REQUESTS) socket.destroy();
    else
      res.once('socket', () => {
        this.count(socket, -1);
        // Not at once: other connections have their turn, and Node.js is not yet done with the assignment.
        setImmediate(() => {
          if (socket.writable) answer();
        });
      });
  }

  private count(socket: Socket, change: number): number {
    const count = (this.waiting.get(socket) ?? 0) + change;
    this.waiting.set(socket, count);
    return count;
  }
}
