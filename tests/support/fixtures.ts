import { test as base, expect } from '@playwright/test';
import { watchPolicy } from './policy-watch';
import { answerGoogleApi } from './google-api';
import { peopleAt, type People, type Person } from './accounts';
import type { Places } from './stack';

type Fixtures = {
  /** Fails a test if a script failed or a policy was violated in its pages; blocks requests to other machines. */
  noScriptErrors: void;
  places: Places;
  people: People;
  /** A new user with a verified email address. */
  person: Person;
};

export const test = base.extend<Fixtures>({
  noScriptErrors: [
    async ({ context }, use) => {
      const errors: string[] = [];
      await answerGoogleApi(context);
      context.on('weberror', (error) => errors.push(error.error().message));
      await watchPolicy(context, errors);
      await use();
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
  places: async ({}, use) => use(JSON.parse(process.env.E2E_PLACES ?? '{}') as Places),
  people: async ({ places }, use) => use(peopleAt(places)),
  person: async ({ people }, use) => use(await people.create()),
});

export { expect };
