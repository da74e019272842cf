import { useTranslation } from 'next-i18next/pages';
import type { Lesson } from '@/lib/courses/contract';
import { LESSON_TYPES } from '@/lib/courses/lesson-kinds';
import styles from './measures.module.css';
import { LessonGlyph } from './lesson-glyph';

/** What a course is made of: so many videos, so many labs. */
export function LessonTypes({ lessons }: { lessons: readonly Lesson[] }) {
  const { t } = useTranslation('courses');
  const counted = LESSON_TYPES.map((type) => ({
    type,
    count: lessons.filter((lesson) => lesson.type === type).length,
  }));
  return (
    <ul className={styles.types}>
      {counted
        .filter(({ count }) => count > 0)
        .map(({ type, count }) => (
          <li key={type}>
            <LessonGlyph type={type} />
            {t(`lessons.counted.${type}`, { count })}
          </li>
        ))}
    </ul>
  );
}
