import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'current-password:missing')),
  password: newPasswordField,
});

export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
