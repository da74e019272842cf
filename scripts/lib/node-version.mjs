const NEEDED = { major: 20, minor: 9 };

/**
 * @param {string} version of Node, e.g. `20.9.0`
 * @returns {string | undefined} one line that describes the problem with it
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return undefined;
  return `This project needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${version}.`;
}
