import { SAMPLE_PASSWORD, samplePeople } from './people.mjs';

/**
 * One screen that says where everything is and who may sign in.
 * @param {{ appOrigin: string, platformOrigin: string, mailboxUrl: string, emulatorHost: string,
 *   env: Record<string, string> }} places
 * @returns {string}
 */
export function summary({ appOrigin, platformOrigin, mailboxUrl, emulatorHost, env }) {
  const people = samplePeople.map(({ email, about }) => `    ${email.padEnd(24)} ${about}`);
  return `
  Start here        ${platformOrigin}/user/dashboard   (the learning platform: sends you to sign in and back)
  Sign in           ${appOrigin}/sign-in
  Mailbox           ${mailboxUrl}   (every mail the app sends)
  Auth emulator     http://${emulatorHost}

  Sample people, password ${SAMPLE_PASSWORD} where they have one
${people.join('\n')}

  Admin token       ${env.ADMIN_TOKEN}
  Logs              .demo/

  Ctrl-C stops everything.
`;
}
