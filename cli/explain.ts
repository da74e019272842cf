import { parseArgs } from 'node:util';
import { env } from '@/lib/server/runtime';
import { readConfigFiles } from '@/lib/server/policy';
import { explain } from './explanation';
import { formatConfigFiles, formatExplanation } from './explanation/words';
import { UsageError, type Command } from './types';

export const explainCommand: Command = {
  summary: 'explains a redirect URI, an origin or an OpenID Connect request',
  help: (program) => `${program} <redirect_uri or origin> …

For the address of an OpenID Connect request (docs/openid-connect.md), prints why it is refused.
For any other address, prints:
  - the rule that accepts or refuses it as a callback
  - the calls that its pages may make
  - the sign-in methods of its origin, and who needs a second factor
  - its branding, with the contrast of its colors
It first prints the problems of ORIGINS_FILE and DIRECTORY_FILE.

Exit codes: 0 explained, whatever the answer; 1 the configuration cannot be used; 2 wrong usage.`,
  async run(args) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    if (positionals.length === 0) throw new UsageError('Name at least one address.');
    const files = formatConfigFiles(await readConfigFiles(env()), env().UPSTREAM_IDENTITY_URL !== undefined);
    console.log(`${files.join('\n')}\n`);
    for (const input of positionals) console.log(`${formatExplanation(await explain(input)).join('\n')}\n`);
    return 0;
  },
};
