import { render, type RenderResult } from '@testing-library/react';
import i18next from 'i18next';
import type { ReactElement } from 'react';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import common from '@/locales/en/common.json';
import signIn from '@/locales/en/sign-in.json';

/** Renders with the product's real texts. */
export function renderWithTexts(element: ReactElement): RenderResult {
  const i18n = i18next.createInstance();
  void i18n.use(initReactI18next).init({
    lng: 'en',
    initAsync: false,
    resources: { en: { common, 'sign-in': signIn } },
    interpolation: { escapeValue: false },
  });
  return render(<I18nextProvider i18n={i18n}>{element}</I18nextProvider>);
}
