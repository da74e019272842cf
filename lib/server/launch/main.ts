import http, { type RequestListener } from 'node:http';
import {
  getListenHost,
  getServerSettings,
  runWithHostname,
  whenStarted,
  writeConsoleToLog,
} from '@/lib/server/runtime';
import { GuardedServer } from './listener/guarded-server';
import { answerReleasedFiles } from './released-files';

// Must come first, because the framework's server starts and prints as soon as it is loaded (scripts/lib/app.mjs).
writeConsoleToLog();

const host = getListenHost();

/** Listens on HOSTNAME, which the framework does not know, and only once the process is ready (docs/adr/0043). */
class AppServer extends GuardedServer {
  private isClosed = false;

  /**
   * Emits `listening` at once, because the framework loads the app only then. It needs nothing else from a listening
   * server.
   */
  override listen(port?: unknown): this {
    process.nextTick(() => {
      this.emit('listening');
      this.removeAllListeners('listening');
    });
    void whenStarted().then(() => {
      if (!this.isClosed) super.listen(Number(port), host);
    });
    return this;
  }

  /** Handles a signal during the start, too. */
  override close(callback?: (error?: Error) => void): this {
    this.isClosed = true;
    if (this.listening) return super.close(callback);
    callback?.();
    return this;
  }
}

const { createServer } = http;
// The framework creates a single server and accepts none from outside (docs/adr/0025).
http.createServer = ((listener: RequestListener) => {
  http.createServer = createServer;
  return new AppServer(answerReleasedFiles(listener), getServerSettings());
}) as unknown as typeof createServer;
// The framework uses HOSTNAME as the host of every request's URL. The middleware reads a loopback address there as
// `localhost`. Each rewrite would then lead to another host, and the framework would send the request there.
runWithHostname('localhost', () => {
  // oxlint-disable-next-line typescript/no-require-imports -- made by the build, beside the bundle of this file
  require('./framework-server.js');
});
