import { parseArgs } from 'node:util';
import { env } from '@/lib/server/runtime';
import { readConfigFiles } from '@/lib/server/policy';
import { explain } from './explanation';
import { formatConfigFiles, formatExplanation } from './explanation/words';
import { UsageError, type Command } from './types';

export const explainCommand: Command = {
  summary:
    'which rule accepts or refuses a redirect URI, an origin or an OpenID Connect request, its branding, and who needs a second factor',
  help: (program) => `${program} <redirect_uri or origin> …

Says of the address of an OpenID Connect request (docs/openid-connect.md) why it is refused. Says for each other: the rule that accepts or refuses it as a callback, what its pages may call, who needs a second factor, and its
branding with the contrast of its colors; before that, what is wrong with ORIGINS_FILE and DIRECTORY_FILE.

Exit codes: 0 explained, whatever the answer; 1 the configuration cannot be used; 2 wrong usage.`,
  async run(args) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    if (positionals.length === 0) throw new UsageError('Name what is to be explained.');
    const files = formatConfigFiles(await readConfigFiles(env()), env().UPSTREAM_IDENTITY_URL !== undefined);
    console.log(`${files.join('\n')}\n`);
    for (const input of positionals) console.log(`${formatExplanation(await explain(input)).join('\n')}\n`);
    return 0;
  },
};
