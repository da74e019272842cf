/**
 * @param {() => Promise<void>} one a call
 * @param {{ atOnce: number, ms: number }} round how many calls run at the same time, and for how long
 * @returns {Promise<number>} calls a second
 */
export async function measureRate(one, { atOnce, ms }) {
  const begin = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - begin < ms) {
        await one();
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - begin)) * 1000;
}
