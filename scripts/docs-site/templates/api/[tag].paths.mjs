import { listApiPages } from '../../api-pages.mjs';

const pages = { paths: listApiPages };
export default pages;
