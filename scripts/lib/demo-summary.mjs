import { SAMPLE_PASSWORD, sampleUsers } from './sample-users.mjs';

/**
 * Formats a summary of all URLs and sample accounts that fits on one screen.
 * @param {{ appOrigin: string, platformOrigin: string, mailboxUrl: string, emulatorHost: string,
 *   env: Record<string, string>, logs: string }} endpoints `logs`: log folder
 * @returns {string}
 */
export function summary({ appOrigin, platformOrigin, mailboxUrl, emulatorHost, env, logs }) {
  const accounts = sampleUsers.map(({ email, about }) => `    ${email.padEnd(24)} ${about}`);
  return `
  Start here        ${platformOrigin}/user/dashboard   (the learning platform: sends you to sign in and back)
  Sign in           ${appOrigin}/sign-in
  Mailbox           ${mailboxUrl}   (every mail the app sends)
  Auth emulator     http://${emulatorHost}

  Sample users, password ${SAMPLE_PASSWORD} where they have one
${accounts.join('\n')}

  Admin token       ${env.ADMIN_TOKEN}
  Logs              ${logs}

  Ctrl-C stops everything.
`;
}
