import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whatever the suite prints is searched for the secrets of its sign-ins.
    globalSetup: ['test/leaks/whole-run.ts'],
    setupFiles: ['test/leaks/each-file.ts'],
    // Two cores: the tests that start processes would starve each other otherwise.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
