/** never-answers: reads everything and says nothing. */
import { serve } from './speak.mjs'

serve({ before: () => true })
