import { z } from 'zod';
import { envSchema, type Env } from './schema';
import { SECRETS } from './secret-files';
import { VARIABLE_GROUPS, VARIABLE_DOCS } from './env-docs';

type Name = keyof Env;

const HEAD = `# Configuration

Generated from the schema in \`lib/server/runtime/config/env.ts\` by \`npm run docs\`; do not edit.

Read and validated once when the process starts. An invalid value, a missing one that is **required**, a misspelled name while
the right one is not set (beside it, it is ignored), or a file that cannot be used stops the start with one line per problem, which
never shows the value; only \`REDIS_URL\` cannot be checked. Every other variable that is not set gets its default, which is that of
local development: elsewhere set the origins, the main domain, the Firebase project and API key, the mail server and sender,
\`ORIGINS_FILE\` and \`DIRECTORY_FILE\` as well. Without the two files there is no branding and no organization:
the samples in \`config\` are for this machine alone.

One build runs everywhere: none of these values is compiled in. Variables that begin with \`NEXT_PUBLIC_\` are exposed to
browsers. Lists are comma-separated. A **secret** can be in a file instead, whose path is in the variable with \`_FILE\` at the
end of its name (\`ADMIN_TOKEN_FILE\`); a line break at its end is ignored. [.env.example](../.env.example) contains the local defaults.
`;

/** The configuration reference as Markdown: every variable with its meaning, kind and default. */
export function buildConfigurationReference(): string {
  const groups = Object.entries(VARIABLE_GROUPS).map(([title, names]) => {
    const rows = names.map(
      (name) => `| \`${name}\` | ${getDescription(name)} | ${getKind(name)} | ${getDefault(name)} |`,
    );
    return [`## ${title}`, '', '| variable | meaning | value | default |', '| --- | --- | --- | --- |', ...rows].join(
      '\n',
    );
  });
  return [HEAD, ...groups.flatMap((group) => [group, ''])].join('\n');
}

function getDescription(name: Name): string {
  const { meaning, required } = VARIABLE_DOCS[name];
  const secret = SECRETS.some((each) => each === name);
  return [meaning, required && `**required** ${required}`, secret && '**secret**'].filter(Boolean).join('; ');
}

/** Describes the allowed values, derived from the schema itself. */
function getKind(name: Name): string {
  const schema = z.toJSONSchema(getInputSchema(envSchema.shape[name]), { io: 'input', unrepresentable: 'any' });
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'integer') return `${String(schema.minimum)} to ${String(schema.maximum)}`;
  const kinds: Record<string, string> = { uri: 'address', email: 'mailbox', base64: 'base64' };
  if (schema.format) return kinds[schema.format] ?? 'text';
  if (schema.minLength && schema.minLength > 1) return `at least ${String(schema.minLength)} characters`;
  return 'text';
}

/** The schema of the raw environment value: without defaults, and before transforms. */
function getInputSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodDefault || schema instanceof z.core.$ZodOptional)
    return getInputSchema(schema._zod.def.innerType);
  if (!(schema instanceof z.core.$ZodPipe)) return schema;
  const { in: before, out } = schema._zod.def;
  return getInputSchema(before instanceof z.core.$ZodTransform ? out : before);
}

function getDefault(name: Name): string {
  const schema = envSchema.shape[name];
  if (!(schema instanceof z.core.$ZodDefault)) return 'none';
  const value = [schema._zod.def.defaultValue].flat().map(String).join(',');
  return name === 'TOKEN_ENCRYPTION_SECRET' ? 'a sample' : value === '' ? 'empty' : `\`${value}\``;
}
