import { readFileSync } from 'node:fs';
import { createConfig, lint } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { apiFiles } from '@/scripts/lib/api-files.mjs';
import { describeApi, type Handlers } from '.';

process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';

type Media = { examples?: Record<string, { value: unknown }> };
type Response = { content: Record<string, Media> };
type Operation = { responses: Record<string, Response | { $ref: string }> };
type Description = {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, object> & { responses: Record<string, Response> };
};
const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

async function handlers(): Promise<Handlers> {
  const entries = apiFiles().map(async ({ path, file }) => {
    const route = (await import(/* @vite-ignore */ file)) as { default: Handlers[string] };
    return [path, route.default] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

const listInlineResponses = ({ paths }: Description) =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses).filter((each) => !('$ref' in each))),
  );

/** Lists the described content of every shared response, by JSON pointer. */
const listMedia = ({ components }: Description) =>
  Object.entries(components.responses).flatMap(([name, { content }]) =>
    Object.entries(content).map(([type, media]) => ({
      place: `/components/responses/${name}/content/${pointer(type)}`,
      media,
    })),
  );

describe('docs/openapi.json', () => {
  it('is up to date with the routes (npm run docs)', async () => {
    expect(JSON.parse(JSON.stringify(describeApi(await handlers(), version)))).toEqual(written);
  });

  it('describes every call', () => {
    expect(Object.keys(written.paths).sort()).toEqual(
      apiFiles()
        .map(({ path }) => path)
        .sort(),
    );
  });

  it('is an OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(written));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('lints clean', async () => {
    // Applies the strictest rules except for the license, because the API is not published.
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } });
    const problems = await lint({ ref: 'docs/openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has a valid example of every response (npm run docs:examples)', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema(written, 'api');
    const described = listMedia(written);
    expect(described.length).toBeGreaterThan(30);
    for (const { place, media } of described) {
      const values = Object.values(media.examples ?? {}).map(({ value }) => value);
      expect(values, `examples of ${place}`).not.toEqual([]);
      const validate = ajv.compile({ $ref: `api#${place}/schema` });
      for (const value of values) expect([place, value, validate(value)]).toEqual([place, value, true]);
    }
  });

  it('has no user, secret or address of a test run in its examples', () => {
    const text = readFileSync('scripts/openapi/examples.json', 'utf8');
    const emails = [...text.matchAll(/[\w.-]+@[\w.-]+/g)].map(([email]) => email);
    expect(new Set(emails)).toEqual(new Set(['lena@campus.example', 'key@errors.example']));
    expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
    const tokens = [...text.matchAll(/eyJ[\w.-]+/g)].map(([token]) => token);
    expect(new Set(tokens).size).toBe(1);
  });

  it('gives every response an x-request-id', () => {
    const responses = [...Object.values(written.components.responses ?? {}), ...listInlineResponses(written)];
    for (const response of responses) expect(response).toHaveProperty(['headers', 'x-request-id']);
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
