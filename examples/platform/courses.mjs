/** @type {Record<string, { title: string, next: string }>} */
export const courses = {
  'statistics-without-fear': { title: 'Statistics without fear', next: 'Lesson 4: The shape of a sample' },
  'writing-for-readers': { title: 'Writing for readers', next: 'Lesson 2: One thought a sentence' },
  'the-night-sky': { title: 'The night sky', next: 'Lesson 7: Finding north' },
};
