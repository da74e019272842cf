export {
  loadAccountSelection,
  redirectWhenSignedIn,
  loadFirstLogin,
  loadPartnerStart,
  loadKeepAccount,
  loadPasskeyOffer,
  loadSecondFactor,
  loadSetUp,
} from './sign-in-pages';
export { loadActionStep } from './action-step';
export { checkAuthStatus, checkCalls, reportLive, reportMetrics, reportReady } from './check-calls';
export { loadCoursesPage, getCourses } from './courses';
export {
  type DeskProps,
  type PageProps,
  createPageProps,
  getUnknownPageProps,
  type Unavailable,
  requireSessionPage,
  getStaticTexts,
  sendAppConfig,
} from './page';
export { loadChangePassword, loadSecurityPage } from './security';
export { loadSignOut } from './sign-out';
export {
  loadConfirmationStep,
  loadInstructionsStep,
  loadPasswordSetStep,
  loadResetStep,
  loadSuccessStep,
} from './steps';
