import { configure } from '@testing-library/react';

/** A page whose code loads later must not fail a test on a busy machine: as long as `expect.poll` waits (vitest.config.mts). */
configure({ asyncUtilTimeout: 60_000 });
