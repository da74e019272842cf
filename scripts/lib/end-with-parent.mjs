// Every service loads this module with `--import`, because a killed parent cannot stop the services it started.
const parent = process.ppid;
const end = () => (process.platform === 'win32' ? process.exit(1) : process.kill(0, 'SIGKILL'));
setInterval(() => process.ppid === parent || end(), 1_000).unref();
