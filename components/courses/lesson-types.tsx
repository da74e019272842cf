import type { Lesson } from '@/lib/shared/courses/contract';
import { LESSON_TYPES } from '@/lib/shared/courses/lesson-kinds';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './measures.module.css';
import { LessonGlyph } from './lesson-glyph';

/** The number of lessons by type, such as videos and labs. */
export function LessonTypes({ lessons }: { lessons: readonly Lesson[] }) {
  const { t } = useMessages('courses');
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
