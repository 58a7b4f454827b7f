/**
 * A run of its own, of one file that prints a secret: `leaks.test.ts` wants it to fail.
 */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['planted.ts'],
    globalSetup: ['../whole-run.ts'],
    setupFiles: ['../each-file.ts'],
  },
})
