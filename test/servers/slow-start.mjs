/** slow-start: says nothing for `--ms` (2000) milliseconds, then answers everything. */
import { numberFlag, serve, wait } from './speak.mjs'

serve({ ready: wait(numberFlag('ms', 2000)) })
