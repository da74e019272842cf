import { createInterface } from 'node:readline/promises';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from './client.mjs';

// usage: node examples/mobile/start.mjs [app origin] [emulator host]
const [appOrigin = 'http://localhost:3000', emulatorHost = 'localhost:9099'] = process.argv.slice(2);

const begun = beginSignIn({ appOrigin });
console.log(
  `Open this address in a browser, pick an account, and copy the campus:// address you end at:\n\n${begun.address}\n`,
);
const input = createInterface({ input: process.stdin, output: process.stdout });
const callback = await input.question('campus:// address: ');
input.close();
const customToken = await exchangeCode({ appOrigin, code: codeFrom(callback.trim(), begun), verifier: begun.verifier });
const idToken = await signInWithCustomToken({ emulatorHost, customToken });
const { user_id: uid } = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
console.log(`Signed in as ${uid}.`);
