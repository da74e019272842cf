import { test as base, expect } from '@playwright/test';
import { peopleAt, type People, type Person } from './accounts';
import type { Places } from './stack';

type Fixtures = {
  places: Places;
  people: People;
  /** A fresh person with a confirmed address. */
  person: Person;
};

export const test = base.extend<Fixtures>({
  places: async ({}, use) => use(JSON.parse(process.env.E2E_PLACES ?? '{}') as Places),
  people: async ({ places }, use) => use(peopleAt(places)),
  person: async ({ people }, use) => use(await people.create()),
});

export { expect };
