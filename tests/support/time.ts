/**
 * The identity provider counts whole seconds: a revocation within the same second as the sign-in would not apply to
 * it.
 */
export async function nextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_050 - (Date.now() % 1_000)));
}
