import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';

export const newPasswordSchema = z.object({ password: newPasswordField });

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
