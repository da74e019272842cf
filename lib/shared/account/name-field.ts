import * as z from 'zod/mini';
import { SIGN_UP } from './limits';
import { hasLink } from './name-rules';

/** A display name: any script, but no control characters and no URL or email address. */
export const nameField = z.string().check(
  z.overwrite((text) => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
  z.minLength(SIGN_UP.nameMin, 'account-name:length'),
  z.maxLength(SIGN_UP.nameMax, 'account-name:length'),
  z.regex(/^[^\p{C}<>]*$/u, 'account-name:invalid'),
  z.refine((name) => !hasLink(name), 'account-name:invalid'),
);

/** A change of the name (docs/product.md#validation). */
export const nameSchema = z.object({ name: nameField });
