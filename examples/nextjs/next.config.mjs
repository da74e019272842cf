/** Only for this repository. Without it, Next.js would use the configuration of a parent folder. */
const config = {};
export default config;
