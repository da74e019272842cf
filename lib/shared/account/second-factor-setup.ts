/**
 * Why a second factor is to be set up on the way to the destination. `required`: no session is opened without; `announced`: from a day on, `YYYY-MM-DD`;
 * `step-up`: the platform asks for two factors; `none`: there is no reason any more.
 */
export type SetUpReason =
  | { name: 'required'; organization: string | null }
  | { name: 'announced'; organization: string | null; from: string }
  | { name: 'step-up' }
  | { name: 'none' };
