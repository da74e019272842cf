// Types of Next.js and of style modules, so that a fresh clone type-checks before its first build.
/// <reference types="next" />
/// <reference types="next/image-types/global" />
