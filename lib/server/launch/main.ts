import http, { type RequestListener } from 'node:http';
import { getServerSettings, writeConsoleToLog } from '@/lib/server/runtime';
import { GuardedServer } from './listener/guarded-server';

// First: the framework's server starts, and prints, as soon as it is loaded (scripts/lib/app.mjs).
writeConsoleToLog();
const { createServer } = http;
// It creates one server, and takes none from outside (docs/adr/0025).
http.createServer = ((listener: RequestListener) => {
  http.createServer = createServer;
  return new GuardedServer(listener, getServerSettings());
}) as unknown as typeof createServer;
// oxlint-disable-next-line typescript/no-require-imports -- made by the build, beside the bundle of this file
require('./framework-server.js');
