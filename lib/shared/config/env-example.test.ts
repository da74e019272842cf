import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseEnv } from '@/lib/server/runtime/config/env';
import { VARIABLES } from '@/lib/server/runtime/config/schema';

const example = readFileSync('.env.example', 'utf8');
const documented = Object.fromEntries(
  [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

test('.env.example documents every variable and no other', () => {
  expect(Object.keys(documented).sort()).toEqual([...VARIABLES].sort());
});

test('.env.example is the local default, and is valid', () => {
  const defaults = parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: documented.FIREBASE_AUTH_EMULATOR_HOST });
  expect(parseEnv(documented)).toEqual(defaults);
});
