import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { apiFiles } from '@/scripts/lib/api-files.mjs';
import { describeApi, type Handlers } from '.';

type Description = { info: { version: string }; paths: object; components: Record<string, object> };
const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

async function handlers(): Promise<Handlers> {
  const entries = apiFiles().map(async ({ path, file }) => {
    const route = (await import(/* @vite-ignore */ file)) as { default: Handlers[string] };
    return [path, route.default] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe('docs/openapi.json', () => {
  it('is up to date with the routes (npm run docs)', async () => {
    expect(JSON.parse(JSON.stringify(describeApi(await handlers(), version)))).toEqual(written);
  });

  it('describes every call', () => {
    expect(Object.keys(written.paths).sort()).toEqual(apiFiles().map(({ path }) => path).sort()); // prettier-ignore
  });

  it('is an OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(written));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('refers to every component, and to no other', () => {
    const referred = JSON.stringify(written).matchAll(/"#\/components\/(\w+\/\w+)"/g);
    const shared = { ...written.components, securitySchemes: {} };
    const names = Object.entries(shared).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect(new Set([...referred].map(([, name]) => name))).toEqual(new Set(names));
  });
});

it('rejects a route without a description, and a description without a route', async () => {
  const all = await handlers();
  expect(() => describeApi({ ...all, '/api/new': {} }, version)).toThrow('No words for /api/new');
  expect(() => describeApi({}, version)).toThrow('Documented, but without a handler');
});
