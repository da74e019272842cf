/** Lesson types and progress statuses (docs/product.md#data). */
export const LESSON_TYPES = ['video', 'lab', 'article', 'quiz', 'feedback'] as const;
export const PROGRESS_STATUSES = ['completed', 'not_started', 'in_progress'] as const;
export type LessonType = (typeof LESSON_TYPES)[number];
export type ProgressStatus = (typeof PROGRESS_STATUSES)[number];
