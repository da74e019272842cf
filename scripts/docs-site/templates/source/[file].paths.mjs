import { listSources } from '../../links.mjs';

const pages = { paths: listSources };
export default pages;
