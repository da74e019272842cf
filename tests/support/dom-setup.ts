import { configure } from '@testing-library/react';
import { afterEach, beforeEach, expect } from 'vitest';
import { findOwnedTexts } from './owned-texts';

/** A page whose code loads later must not fail a test on a busy machine: as long as `expect.poll` waits (vitest.config.mts). */
configure({ asyncUtilTimeout: 60_000 });

// Every state that a test renders can be translated by the browser. One test of this project has no page.
if (typeof MutationObserver !== 'undefined') {
  let owned: string[] = [];
  const read = (records: MutationRecord[]) =>
    owned.push(...records.flatMap(({ addedNodes }) => [...addedNodes].flatMap(findOwnedTexts)));
  const observer = new MutationObserver(read);
  beforeEach(() => observer.observe(document, { childList: true, subtree: true }));
  afterEach(() => {
    read(observer.takeRecords());
    observer.disconnect();
    const found = owned;
    owned = [];
    expect(found).toEqual([]);
  });
}
