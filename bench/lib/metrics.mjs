/**
 * Reads the figures of a process of the app, by their names at `/api/metrics`.
 * @param {{ appOrigin: string, adminToken: string }} endpoints
 * @returns {Promise<(name: string) => number>}
 */
export async function readMetrics({ appOrigin, adminToken }) {
  const response = await fetch(`${appOrigin}/api/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  const text = await response.text();
  return (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}
