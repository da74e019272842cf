import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';

type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
};
type Operation = { security?: object[]; requestBody?: { content: Record<string, { schema?: Schema }> } };
type Described = { path: string; security: object[]; body: unknown };

/** Lists every POST of docs/openapi.json with a body that its schema accepts, so that a test also covers new calls. */
export function describedCalls(): Described[] {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, { post }]) => {
    if (!post) return [];
    const [content] = Object.values(post.requestBody?.content ?? {});
    return [{ path, security: post.security ?? [], body: post.requestBody && fill(content?.schema) }];
  });
}

/** Fills all properties, and uses the first of several alternatives. */
function fill(schema: Schema = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return fill(schema.anyOf[0]);
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {});
    return Object.fromEntries(properties.map(([name, each]) => [name, fill(each)]));
  }
  if (schema.type === 'array') return schema.items ? [fill(schema.items)] : [];
  if (schema.type === 'boolean') return true;
  return schema.type === 'integer' || schema.type === 'number' ? 1 : fillText(schema);
}

function fillText({ format, pattern = '', minLength = 1 }: Schema): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'email') return `${randomUUID()}@campus.test`;
  if (format === 'date-time') return new Date().toISOString();
  return pattern.includes('{6}') ? '123456' : 'a'.repeat(Math.max(minLength, 12));
}
