import { installed } from './paths.mjs';
import { startService, waitUntilReady } from './processes.mjs';

const host = '127.0.0.1';

/**
 * Starts a catch-all inbox: an SMTP server with a web page and an API (`GET /email`).
 * @param {{ smtpPort: number, webPort: number, dir: string }} options
 * @returns {Promise<{ smtpUrl: string, url: string, service: import('./processes.mjs').Service, stop: () => Promise<void> }>}
 */
export async function startMailbox({ smtpPort, webPort, dir }) {
  const command = [
    process.execPath,
    installed('maildev/bin/maildev'),
    ...['--smtp', String(smtpPort), '--web', String(webPort), '--ip', host, '--web-ip', host, '--silent'],
  ];
  const service = startService('mailbox', command, { logDir: dir });
  await waitUntilReady(service, `http://${host}:${webPort}/email`);
  return { smtpUrl: `smtp://${host}:${smtpPort}`, url: `http://localhost:${webPort}`, service, stop: service.stop };
}
