// Use only syntax that every Node version parses, because this file reports which Node version is required.
const NEEDED = { major: 20, minor: 9 };

/**
 * Runs a command on a fresh clone. Installs the dependencies first, or prints one line that describes the problem.
 * @param {() => Promise<unknown>} work
 */
export function begin(work) {
  const problem = nodeProblem(process.versions.node);
  const ready = problem ? Promise.reject(new Error(problem)) : import('./install.mjs');
  ready
    .then((install) => install.installDependencies())
    .then(work)
    .catch((error) => {
      console.error(error.message);
      process.exit(1);
    });
}

/**
 * @param {string} version of Node, e.g. `20.9.0`
 * @returns {string | undefined} one line that describes the problem with it
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return undefined;
  return `This project needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is Node ${version}.`;
}
