/** Parts of /sign-in that few visitors need, in one chunk. Each chunk's address would enlarge the first scripts. */
export { showChooser } from './account-chooser';
export { OrganizationOffer } from './organization-offer';
