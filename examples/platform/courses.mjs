/**
 * `lessons`: how many the course has. `done`: how many of them the sample learner has finished. `art`: shapes of the
 * course's picture, 96×96.
 * @type {Record<string, { title: string, about: string, next: string, lessons: number, done: number, art: string }>}
 */
export const courses = {
  'statistics-without-fear': {
    title: 'Statistics without fear',
    about: 'Read a chart, doubt an average, and know what a sample can say.',
    next: 'Lesson 4: The shape of a sample',
    lessons: 9,
    done: 3,
    art: '<path class="fill" d="M8 76c22 0 22-48 40-48s18 48 40 48z"/><path d="M8 76h80M48 20v56"/>',
  },
  'writing-for-readers': {
    title: 'Writing for readers',
    about: 'Short sentences that say what you mean, and nothing else.',
    next: 'Lesson 2: One thought a sentence',
    lessons: 8,
    done: 1,
    art: '<path class="fill" d="M22 16h44l12 12v52H22z"/><path d="M34 40h32M34 52h32M34 64h20"/>',
  },
  'the-night-sky': {
    title: 'The night sky',
    about: 'Find your way by seven stars, without a telescope.',
    next: 'Lesson 7: Finding north',
    lessons: 7,
    done: 6,
    art: '<path d="m14 34 18-4 14 10 18 8 4 20 20-4 2-20"/><g class="fill"><circle cx="14" cy="34" r="4"/><circle cx="32" cy="30" r="4"/><circle cx="46" cy="40" r="4"/><circle cx="64" cy="48" r="5"/><circle cx="68" cy="68" r="4"/><circle cx="88" cy="64" r="4"/><circle cx="90" cy="44" r="4"/><circle cx="40" cy="10" r="3"/></g>',
  },
};
