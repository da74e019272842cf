import { z } from 'zod';

/** Lesson types and progress statuses (docs/product.md#data). */
export const LESSON_TYPES = ['video', 'lab', 'article', 'quiz', 'feedback'] as const;
export const PROGRESS_STATUSES = ['completed', 'not_started', 'in_progress'] as const;
export type LessonType = (typeof LESSON_TYPES)[number];
export type ProgressStatus = (typeof PROGRESS_STATUSES)[number];

const id = z.string().regex(/^[\w.-]{1,100}$/);
const title = z.string().min(1).max(200);
const url = z.url({ protocol: /^https?$/ }).max(2048);

const lesson = z.object({
  id,
  title,
  type: z.enum(LESSON_TYPES),
  status: z.enum(PROGRESS_STATUSES),
  minutes: z.number().int().min(0).max(10_000).optional(),
  url: url.optional(),
});

const course = z.object({
  id,
  title,
  summary: z.string().max(400).optional(),
  url: url.optional(),
  /** `YYYY-MM-DD`, the platform's format. */
  lastOpenedOn: z.iso.date().optional(),
  lessons: z.array(z.unknown()).max(1_000),
});

export type Lesson = z.output<typeof lesson>;
export type Course = Omit<z.output<typeof course>, 'lessons'> & { lessons: Lesson[] };

/** Response of `GET /api/user/courses`. */
export const coursesResponseSchema = z.object({
  courses: z.array(course.extend({ lessons: z.array(lesson) })),
  /** True if this app has no course data, so that the platform shows the courses itself. */
  elsewhere: z.boolean(),
});
export type CoursesResponse = z.output<typeof coursesResponseSchema>;

/**
 * Parses the platform's response: `{ courses: [...] }`. Courses and lessons that violate the contract are dropped.
 * @returns the valid courses, and the number of dropped entries
 * @throws ZodError if there is no list of courses
 */
export function parseCourses(input: unknown): { courses: Course[]; dropped: number } {
  const listed = z.object({ courses: z.array(z.unknown()).max(500) }).parse(input).courses;
  let dropped = 0;
  const usable = <T>(schema: z.ZodType<T>, items: unknown[]): T[] =>
    items.flatMap((item) => {
      const { success, data } = schema.safeParse(item);
      if (!success) dropped += 1;
      return success ? [data] : [];
    });
  const courses = usable(course, listed).map((found) => ({ ...found, lessons: usable(lesson, found.lessons) }));
  return { courses, dropped };
}
