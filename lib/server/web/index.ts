export { type AccountSelectionProps, loadAccountSelection } from './account-selection';
export { loadActionStep } from './action-step';
export { type AlreadySignedInProps, redirectWhenSignedIn } from './already-signed-in';
export { checkAuthStatus, checkCalls, reportLive, reportMetrics, reportReady } from './check-calls';
export { type CoursesPageProps, loadCoursesPage } from './courses';
export { loadFirstLogin } from './first-login';
export { loadKeepAccount } from './keep-account';
export { type PageProps, createPageProps, getUnknownPageProps } from './page';
export { type PartnerStartProps, loadPartnerStart } from './partner-start';
export { loadPasskeyOffer } from './passkey-offer';
export { getCourses } from './platform/courses';
export { loadSecondFactor } from './second-factor';
export { loadSecurityPage } from './security';
export { sendAppConfig } from './send-app-config';
export { type Unavailable, requireSessionPage } from './session-page';
export { loadSetUp } from './set-up-second-factor';
export { loadSignOut } from './sign-out';
export {
  loadConfirmationStep,
  loadInstructionsStep,
  loadPasswordSetStep,
  loadResetStep,
  loadSuccessStep,
} from './steps';
export { getStaticTexts } from './load-page-texts';
