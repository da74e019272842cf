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

// First: the framework's server starts, and prints, as soon as it is loaded (scripts/lib/app.mjs).
writeConsoleToLog();

const host = getListenHost();

/** Listens on HOSTNAME, of which the framework does not know, and not before the process is ready (docs/adr/0043). */
class AppServer extends GuardedServer {
  private isClosed = false;

  /** The framework loads the app when its server listens. It waits for nothing else of it. */
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

  /** Also on a signal during the start. */
  override close(callback?: (error?: Error) => void): this {
    this.isClosed = true;
    if (this.listening) return super.close(callback);
    callback?.();
    return this;
  }
}

const { createServer } = http;
// It creates one server, and takes none from outside (docs/adr/0025).
http.createServer = ((listener: RequestListener) => {
  http.createServer = createServer;
  return new AppServer(answerReleasedFiles(listener), getServerSettings());
}) as unknown as typeof createServer;
// The framework makes HOSTNAME the host of every request's URL. The middleware reads a loopback address there as `localhost`, so each rewrite
// would lead to another host, and the framework would send the request there.
runWithHostname('localhost', () => {
  // oxlint-disable-next-line typescript/no-require-imports -- made by the build, beside the bundle of this file
  require('./framework-server.js');
});
