/** For this repository alone: without it, Next would take the configuration of a folder above. */
const config = {};
export default config;
